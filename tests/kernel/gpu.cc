#include "tests/kernel/gpu.h"

#include <algorithm>
#include <vector>

#include "locus/kernel/cuda/widen.h"
#include "locus/kernel/views.h"
#include "locus/tensor/cuda/driver.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus::testing {
namespace {

using namespace kernel;  // the Args structs

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
    OwnArgs<Args> own(args);
    Copies copies(views_of(own.args));
    kernel(own.args);
    copies.copy_back();
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
  .name = OnCopies<decltype(&kernel::cuda::name), kernel::cuda::widened<&kernel::cuda::name>>::call,
  static const Kernels table = {LOCUS_KERNELS(LOCUS_ON_COPIES)};
  static const bool found = no_gpu().empty();
  return found ? &table : nullptr;
}

}  // namespace locus::testing
