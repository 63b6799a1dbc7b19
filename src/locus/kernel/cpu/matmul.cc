// The matrix product. c is cut into blocks of kBlockRows rows and some panels of columns; a task owns one
// block, packs the rows of a it needs slice by slice of k and runs the register tile over it (tile-inl.h).
// No element's arithmetic depends on which block it is in, so the cut may follow the number of threads.
//
// With b in bf16, a is rounded to bf16 as it is packed, and sums are f32: by an instruction of its own where
// the CPU has one (bfmmla.h), else by the same tile as f32, in which products of bf16 numbers are exact.
// There packed b is f32, two places of the bf16 view for each number.
#include <algorithm>
#include <array>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/bfmmla.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/matmul.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/pack-inl.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

struct Block {
  int64_t batch, row, rows, panel, panels;  // rows of c, panels of b
};

// What a product is made of: the numbers that a and b are packed as, and the tile over them. Slices of k are
// multiples of kStep and at most kMost deep.
struct FloatTiles {
  using Number = float;
  using Tile = HWY_NAMESPACE::Tile;
  static constexpr int64_t kStep = 1, kMost = kDepth;

  static int64_t places(DType b) { return b == DType::bf16 ? 2 : 1; }  // of the packed view, for a number
  template <class Byte>
  static auto* numbers(const BasicView<Byte>& packed, int64_t batch) {
    using Pointer = typename BasicView<Byte>::template Element<float>*;
    return packed.dtype == DType::bf16 ? reinterpret_cast<Pointer>(packed.template row<Bf16>(batch))
                                       : packed.template row<float>(batch);
  }
  static void pack_panel(const PackArgs& args, int64_t batch, int64_t column, float* out) {
    const int64_t row = batch * (args.transposed ? args.n : args.k), stride = args.b.stride;
    if (args.b.dtype == DType::bf16) {
      pack_b(args.b.row<Bf16>(row), stride, args.k, column, args.n, out);
    } else {
      pack_b(args.b.row<float>(row), stride, args.transposed, args.k, column, args.n, out);
    }
  }
  static void pack_rows(const MatmulArgs& args, int64_t batch, int64_t row, int64_t rows, int64_t k,
                        int64_t depth, float* out) {
    const float* a = args.a.row<float>(batch * (args.a_transposed ? args.k : args.m));
    pack_a(a, args.a.stride, args.a_transposed, row, rows, k, depth, out);
    if (args.packed.dtype != DType::bf16) return;
    sweep_into(out, tile_rows(rows) * depth,
               [&](auto d, int64_t i) HWY_ATTR { return round_to_bf16(d, hn::LoadU(d, out + i)); });
  }
  static int64_t rows(int64_t left) { return tile_rows(left); }
  static Tile over(const float* a, const float* b, int64_t depth) { return {.a = a, .b = b, .depth = depth}; }
  static HWY_INLINE void run(int64_t rows, const Tile& tile) { run_tile(rows, tile); }
};

#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
struct Bf16Tiles {
  using Number = uint16_t;
  using Tile = bfmmla::Tile;
  static constexpr int64_t kStep = bfmmla::kStep, kMost = 2 * kDepth;
  static_assert(kRows == bfmmla::kRows && kCols == bfmmla::kCols);

  static int64_t places(DType) { return 1; }
  template <class Byte>
  static auto* numbers(const BasicView<Byte>& packed, int64_t batch) {
    using Pointer = typename BasicView<Byte>::template Element<uint16_t>*;
    return reinterpret_cast<Pointer>(packed.template row<Bf16>(batch));
  }
  static void pack_panel(const PackArgs& args, int64_t batch, int64_t column, uint16_t* out) {
    const auto* b = reinterpret_cast<const uint16_t*>(args.b.row<Bf16>(batch * args.n + column));
    bfmmla::pack_b(b, args.b.stride, std::min(kCols, args.n - column), args.k, out);
  }
  static void pack_rows(const MatmulArgs& args, int64_t batch, int64_t row, int64_t rows, int64_t k,
                        int64_t depth, uint16_t* out) {
    const float* a = args.a.row<float>(batch * args.m + row) + k;
    bfmmla::pack_a(a, args.a.stride, rows, Bf16Tiles::rows(rows), depth, out);
  }
  static int64_t rows(int64_t left) { return left <= 2 ? 2 : left <= 4 ? 4 : kRows; }
  static Tile over(const uint16_t* a, const uint16_t* b, int64_t depth) {
    return {.a = a, .b = b, .depth = depth};
  }
  static void run(int64_t rows, const Tile& tile) { bfmmla::run_tile(rows, tile); }
};
#endif

// Calls f with the tiles for a b of this dtype.
template <class F>
HWY_INLINE auto with_tiles([[maybe_unused]] DType b, F f) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (b == DType::bf16 && has_bfmmla()) return f(Bf16Tiles());
#endif
  return f(FloatTiles());
}

template <class Tiles>
int64_t whole_depth(int64_t k) {
  return divide_up(k, Tiles::kStep) * Tiles::kStep;
}

int64_t PackedSize(int64_t k, int64_t n, DType b) {
  return with_tiles(b, [&]<class Tiles>(Tiles) HWY_ATTR {
    const int64_t numbers = divide_up(n, kCols) * kCols * whole_depth<Tiles>(k);
    return std::max<int64_t>(numbers * Tiles::places(b), 1);
  });
}

void Pack(const PackArgs& args) {
  const int64_t panels = divide_up(args.n, kCols);
  if (args.k == 0) return;
  const int64_t grain = std::max<int64_t>(1, 65536 / (args.k * kCols));
  with_tiles(args.b.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
    parallel_for(args.batch * panels, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t batch = i / panels, column = i % panels * kCols;
        Tiles::pack_panel(args, batch, column,
                          Tiles::numbers(args.packed, batch) + column * whole_depth<Tiles>(args.k));
      }
    });
  });
}

// What follows the sum: bias and activation of `rows` rows of a whole tile, while it is in the first-level
// cache.
void Finish(const MatmulArgs& args, int64_t column, int64_t rows, float* c, int64_t stride) {
  if (!args.bias && args.activation == Activation::none) return;
  HWY_ALIGN float bias[kCols] = {};
  if (args.bias) std::copy_n(args.bias.as<float>() + column, std::min(kCols, args.n - column), bias);
  const Row add = load_row(bias);
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    const F f;
    const auto finished = [&](const float* at) HWY_ATTR {
      const Row sum = load_row(at);
      return Row{activate(f, which, hn::Add(sum.x, add.x)), activate(f, which, hn::Add(sum.y, add.y)),
                 activate(f, which, hn::Add(sum.z, add.z))};
    };
    // Two rows at once: an activation alone is a long wait.
    for (; rows >= 2; rows -= 2, c += 2 * stride) {
      const Row first = finished(c), second = finished(c + stride);
      store_row(first, c), store_row(second, c + stride);
    }
    if (rows == 1) store_row(finished(c), c);
  });
}

// One tile of c at (row, column), of which rows x cols exist. A tile over the edge is computed in `edge`.
template <class Tiles>
void RunTile(const MatmulArgs& args, const Block& block, const typename Tiles::Number* a, int64_t row,
             int64_t rows, int64_t panel, int64_t k, int64_t depth) {
  const int64_t whole = whole_depth<Tiles>(args.k), computed = Tiles::rows(rows);
  const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column);
  const auto* b = Tiles::numbers(args.packed, block.batch) + column * whole + k * kCols;
  float* c = args.c.row<float>(block.batch * args.m + row) + column;
  const bool load = args.accumulate || k > 0, last = k + depth == whole;
  typename Tiles::Tile tile = Tiles::over(a, b, depth);
  tile.c = c;
  tile.stride = tile.from_stride = args.c.stride;
  tile.from = load ? c : nullptr;
  tile.ahead_bytes = depth * kCols * static_cast<int64_t>(sizeof(*b)) / divide_up(block.rows, kRows);
  tile.ahead =
      reinterpret_cast<const char*>(b + kCols * whole) + (row - block.row) / kRows * tile.ahead_bytes;
  const bool finish = last && !args.accumulate;
  if (rows == computed && cols == kCols) {
    Tiles::run(computed, tile);
    if (finish) Finish(args, column, rows, c, args.c.stride);
  } else {
    std::array<float, kRows* kCols> edge = {};
    for (int64_t r = 0; load && r < rows; ++r) std::copy_n(c + r * args.c.stride, cols, &edge[r * kCols]);
    tile.c = edge.data();
    tile.stride = tile.from_stride = kCols;
    tile.from = load ? edge.data() : nullptr;
    Tiles::run(computed, tile);
    if (finish) Finish(args, column, rows, edge.data(), kCols);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(&edge[r * kCols], cols, c + r * args.c.stride);
  }
}

template <class Tiles>
void RunBlock(const MatmulArgs& args, const Block& block) {
  HWY_ALIGN typename Tiles::Number packed[kBlockRows * Tiles::kMost];
  const int64_t whole = whole_depth<Tiles>(args.k), slices = divide_up(whole, Tiles::kMost);
  const int64_t slice = whole_depth<Tiles>(divide_up(whole, slices));
  for (int64_t k = 0; k < whole; k += slice) {
    const int64_t depth = std::min(slice, whole - k);
    for (int64_t r = 0; r < block.rows; r += kRows) {
      Tiles::pack_rows(args, block.batch, block.row + r, std::min(kRows, block.rows - r), k,
                       std::min(depth, args.k - k), packed + r * depth);
    }
    for (int64_t panel = block.panel; panel < block.panel + block.panels; ++panel) {
      for (int64_t r = 0; r < block.rows; r += kRows) {
        RunTile<Tiles>(args, block, packed + r * depth, block.row + r, std::min(kRows, block.rows - r), panel,
                       k, depth);
      }
    }
  }
}

// No product to add: c = f(bias), or c as it was.
void RunEmpty(const MatmulArgs& args) {
  if (args.accumulate) return;
  for (int64_t r = 0; r < args.c.rows; ++r) {
    for (int64_t column = 0; column < args.n; column += kCols) {
      HWY_ALIGN float tile[kCols] = {};
      Finish(args, column, 1, tile, kCols);
      std::copy_n(tile, std::min(kCols, args.n - column), args.c.row<float>(r) + column);
    }
  }
}

void Matmul(const MatmulArgs& args) {
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  if (args.k == 0) return RunEmpty(args);
  const int64_t row_blocks = divide_up(args.m, kBlockRows), panels = divide_up(args.n, kCols);
  // Enough tasks to keep the threads evenly busy, but at least eight panels each: every task packs its rows
  // of a anew.
  const int64_t wanted = divide_up(8 * threads(), args.batch * row_blocks);
  const int64_t panels_each = std::max(divide_up(panels, wanted), std::min<int64_t>(8, panels));
  const int64_t column_blocks = divide_up(panels, panels_each);
  parallel_for(args.batch * column_blocks * row_blocks, 1, [&](int64_t begin, int64_t) HWY_ATTR {
    const int64_t row = begin % row_blocks * kBlockRows, rest = begin / row_blocks;
    const int64_t panel = rest % column_blocks * panels_each;
    const Block block = {.batch = rest / column_blocks,
                         .row = row,
                         .rows = std::min(kBlockRows, args.m - row),
                         .panel = panel,
                         .panels = std::min(panels_each, panels - panel)};
    with_tiles(args.packed.dtype, [&]<class Tiles>(Tiles) HWY_ATTR { RunBlock<Tiles>(args, block); });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(PackedSize);
HWY_EXPORT(Pack);
HWY_EXPORT(Matmul);

int64_t packed_size(int64_t k, int64_t n, DType b) { return HWY_DYNAMIC_DISPATCH(PackedSize)(k, n, b); }
void pack(const PackArgs& args) { HWY_DYNAMIC_DISPATCH(Pack)(args); }
void matmul(const MatmulArgs& args) { HWY_DYNAMIC_DISPATCH(Matmul)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
