#include "tests/kernel/gpu.h"

#include <algorithm>
#include <vector>

#include "locus/kernel/cuda/cuda.h"
#include "locus/tensor/cuda/driver.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus::testing {
namespace {

using namespace kernel;  // the Args structs

// Calls f with every view of the arguments of a kernel.
template <class... Views>
auto visit(Views&... views) {
  return [&](auto& f) { (f(views), ...); };
}
auto views_of(PackArgs& a) { return visit(a.b, a.packed); }
auto views_of(MatmulArgs& a) { return visit(a.a, a.packed, a.c, a.bias); }
auto views_of(MatmulSmallMArgs& a) { return visit(a.a, a.b, a.c, a.bias); }
auto views_of(NormArgs& a) { return visit(a.x, a.gamma, a.beta, a.y, a.mean, a.rstd); }
auto views_of(NormBackwardArgs& a) {
  return visit(a.x, a.gamma, a.mean, a.rstd, a.dy, a.dx, a.dgamma, a.dbeta, a.workspace);
}
auto views_of(ActivationArgs& a) { return visit(a.x, a.y); }
auto views_of(ActivationBackwardArgs& a) { return visit(a.x, a.dy, a.dx); }
auto views_of(GatedArgs& a) { return visit(a.gate, a.up, a.y); }
auto views_of(GatedBackwardArgs& a) { return visit(a.gate, a.up, a.dy, a.dgate, a.dup); }
auto views_of(AddArgs& a) { return visit(a.a, a.b, a.out); }
auto views_of(ScaleArgs& a) { return visit(a.x, a.out); }
auto views_of(MultiplyArgs& a) { return visit(a.a, a.b, a.out); }
auto views_of(BiasArgs& a) { return visit(a.x, a.bias, a.out); }
auto views_of(ColumnSumArgs& a) { return visit(a.x, a.out, a.workspace); }
auto views_of(DropoutArgs& a) { return visit(a.x, a.y); }
auto views_of(ConvertArgs& a) { return visit(a.from, a.to); }
auto views_of(GatherArgs& a) { return visit(a.table, a.ids, a.out); }
auto views_of(ScatterAddArgs& a) { return visit(a.rows, a.ids, a.table); }
auto views_of(EmbedArgs& a) {
  return visit(a.tokens.table, a.tokens.ids, a.positions.table, a.positions.ids, a.segments.table,
               a.segments.ids, a.gamma, a.beta, a.y, a.mean, a.rstd);
}
auto views_of(EmbedBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    visit(a.dy, a.dx, a.dgamma, a.dbeta, a.workspace)(f);
  };
}
auto views_of(RotateArgs& a) { return visit(a.x, a.y, a.cos, a.sin, a.rows); }
auto views_of(CrossEntropyArgs& a) { return visit(a.logits, a.targets, a.weights, a.loss, a.lse); }
auto views_of(CrossEntropyBackwardArgs& a) {
  return visit(a.logits, a.targets, a.weights, a.lse, a.dloss, a.dlogits);
}
auto views_of(AdamWArgs& a) { return visit(a.parameter, a.gradient, a.first, a.second); }
auto views_of(AttentionArgs& a) {
  return [&a](auto& f) {
    visit(a.q, a.k, a.v, a.sequences.query_starts, a.sequences.key_starts, a.sequences.query_positions,
          a.sequences.key_positions, a.by_distance.table, a.by_query.table, a.by_query.slots, a.by_key.table,
          a.by_key.slots, a.dense, a.out, a.lse, a.workspace)(f);
    for (const RoomViews& room : a.rooms) {  // of a copy that run() owns
      f(const_cast<ConstView&>(room.keys));
      f(const_cast<ConstView&>(room.values));
    }
  };
}
auto views_of(AttentionBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    visit(a.dout, a.dq, a.dk, a.dv, a.dby_distance, a.dby_query, a.dby_key, a.ddense, a.workspace)(f);
  };
}
auto views_of(ConstView& view) { return visit(view); }

template <class Args>
std::vector<RoomViews> own_rooms(Args&) {
  return {};
}
template <>
std::vector<RoomViews> own_rooms(AttentionArgs& args) {
  std::vector<RoomViews> own(args.rooms.begin(), args.rooms.end());
  args.rooms = own;
  return own;
}

// A piece of host memory that has a copy on the GPU. Views of the same memory share it.
struct Piece {
  const std::byte *begin, *end;
  bool written;
  locus::cuda::Address copy = 0;
};

class Copies {
 public:
  template <class Visit>
  explicit Copies(const Visit& views) {
    const auto note = [&]<class Byte>(const BasicView<Byte>& view) {
      if (view.data == nullptr) return;
      const int64_t elements = view.numel() == 0 ? 0 : (view.rows - 1) * view.stride + view.cols;
      pieces_.push_back({view.data, view.data + std::max<int64_t>(elements * size_of(view.dtype), 1),
                         view.numel() > 0 && !std::is_const_v<Byte>});
      if (view.numel() == 0) pieces_.back().end = pieces_.back().begin;
    };
    views(note);
    merge();
    for (Piece& piece : pieces_) {
      piece.copy = locus::cuda::allocate(piece.end - piece.begin);
      locus::cuda::upload(piece.copy, {piece.begin, piece.end});
    }
    const auto move = [&]<class Byte>(BasicView<Byte>& view) {
      if (view.data != nullptr) view.data = reinterpret_cast<Byte*>(copy_of(view.data));
    };
    views(move);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  void copy_back() {
    for (const Piece& piece : pieces_) {
      if (!piece.written) continue;
      auto* const begin = const_cast<std::byte*>(piece.begin);
      locus::cuda::download({begin, static_cast<size_t>(piece.end - piece.begin)}, piece.copy);
    }
  }
  ~Copies() {
    for (const Piece& piece : pieces_) locus::cuda::release(piece.copy);
  }

 private:
  void merge() {
    std::ranges::sort(pieces_, {}, [](const Piece& piece) { return piece.begin; });
    std::vector<Piece> merged;
    for (const Piece& piece : pieces_) {
      if (merged.empty() || piece.begin > merged.back().end ||
          (piece.begin == merged.back().end && piece.begin != merged.back().begin)) {
        merged.push_back(piece);
      } else {
        merged.back().end = std::max(merged.back().end, piece.end);
        merged.back().written |= piece.written;
      }
    }
    pieces_ = merged;
  }
  locus::cuda::Address copy_of(const std::byte* data) const {
    const auto after =
        std::ranges::upper_bound(pieces_, data, {}, [](const Piece& piece) { return piece.begin; });
    return std::prev(after)->copy + static_cast<locus::cuda::Address>(data - std::prev(after)->begin);
  }

  std::vector<Piece> pieces_;
};

// A kernel on copies of its views; one that only computes a number from sizes is called as it is.
template <class Function, Function kernel>
struct OnCopies {
  static constexpr Function call = kernel;
};
template <class Args, void (*kernel)(const Args&)>
struct OnCopies<void (*)(const Args&), kernel> {
  static void call(const Args& args) {
    Args own = args;
    const std::vector<RoomViews> rooms = own_rooms(own);
    Copies copies(views_of(own));
    kernel(own);
    copies.copy_back();
  }
};
template <double (*kernel)(ConstView)>
struct OnCopies<double (*)(ConstView), kernel> {
  static double call(ConstView view) {
    Copies copies(views_of(view));
    return kernel(view);
  }
};

}  // namespace

std::string no_gpu() {
  if (kernel::cuda::compiled().empty()) return "no kernels for GPUs are compiled in";
  static const std::string problem = locus::cuda::find().problem;
  return problem;
}

const Kernels* gpu_kernels() {
#define LOCUS_ON_COPIES(result, name, parameters) \
  .name = OnCopies<decltype(&kernel::cuda::name), &kernel::cuda::name>::call,
  static const Kernels table = {LOCUS_KERNELS(LOCUS_ON_COPIES)};
  static const bool found = no_gpu().empty();
  return found ? &table : nullptr;
}

}  // namespace locus::testing
