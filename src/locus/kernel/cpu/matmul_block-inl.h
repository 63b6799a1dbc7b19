// A block of a matrix product, per SIMD target: some rows and some column panels of c. The rows of a are
// packed one slice of k at a time, then the register tile (tile-inl.h) multiplies them with panels of b. The
// panels may be prepacked or packed on demand. The arithmetic of an element does not depend on the block it
// is in.
#if defined(LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#undef LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#else
#define LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/matmul_tiles-inl.h"
#include "locus/kernel/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

struct Block {
  int64_t batch, row, rows, panel, panels;  // rows of c, panels of b
};

// Initial value of the sums in every row of a panel: the bias, or zeros.
struct PanelBias {
  HWY_ALIGN float row[kCols] = {};

  PanelBias(const MatmulArgs& args, int64_t panel) {
    const int64_t column = panel * kCols;
    if (args.bias) std::copy_n(args.bias.as<float>() + column, std::min(kCols, args.n - column), row);
  }
};

// c[rows][cols] = f(sums); rows of sums are kCols apart
template <class Which>
HWY_INLINE void store_activated(Which which, const float* sums, int64_t rows, int64_t cols, float* c,
                                int64_t stride) {
  const F f;
  for (; rows > 0; --rows, sums += kCols, c += stride) {
    HWY_ALIGN float row[kCols];
    const V x = activate(f, which, hn::LoadU(f, sums)), y = activate(f, which, hn::LoadU(f, sums + kLanes));
    const V z = activate(f, which, hn::LoadU(f, sums + 2 * kLanes));
    store_row({x, y, z}, cols < kCols ? row : c);
    if (cols < kCols) std::copy_n(row, cols, c);
  }
}
inline void StoreSums(Activation activation, const float* sums, int64_t rows, int64_t cols, float* c,
                      int64_t stride) {
  visit_activation(activation,
                   [=](auto which) HWY_ATTR { store_activated(which, sums, rows, cols, c, stride); });
}

// Scratch memory of a thread: a packed slice of the rows of a block, a packed slice of one panel of b, and
// the sums of a panel.
template <class Tiles>
struct Scratch {
  typename Tiles::Number *a, *b;
  float* sums;  // [kBlockRows][kCols]
};
template <class Tiles>
Scratch<Tiles> scratch_of() {
  using Number = typename Tiles::Number;
  constexpr int64_t rows = kBlockRows * Tiles::kMaxDepth, columns = kCols * Tiles::kMaxDepth;
  static_assert((rows + columns) * sizeof(Number) + kBlockRows * kCols * sizeof(float) <= kScratch);
  auto* a = reinterpret_cast<Number*>(thread_scratch());
  return {a, a + rows, reinterpret_cast<float*>(a + rows + columns)};
}

// Some rows of a panel for one slice of k. The last tile may exceed the edge of c.
struct PanelRows {
  int64_t row, rows, panel, k;
};

// Stores the sums to c, or first to `sums` if an activation follows or the tile exceeds the edge of c. Rows
// of c are far apart and map to few sets of the L1 cache, so applying the activation in c would be slow.
template <class Tiles>
void RunRows(const MatmulArgs& args, const PanelRows& at, const PanelBias& bias, float* sums,
             TileRun<typename Tiles::Number> run) {
  const int64_t rows = Tiles::rows(at.rows), column = at.panel * kCols, stride = args.c.stride;
  const int64_t cols = std::min(kCols, args.n - column);
  const bool complete = at.k + run.depth == padded_depth<Tiles>(args.k) && !args.accumulate;
  const Activation activation = complete ? args.activation : Activation::none;
  const bool edge = at.rows < rows || cols < kCols, buffered = edge || activation != Activation::none;
  float* c = args.c.row<float>(at.row) + column;
  if (at.k == 0 && !args.accumulate) {
    run.from = args.bias ? bias.row : nullptr, run.from_stride = 0;
  } else if (edge) {
    for (int64_t r = 0; r < at.rows; ++r) std::copy_n(c + r * stride, cols, sums + r * kCols);
    run.from = sums, run.from_stride = kCols;
  } else {
    run.from = c, run.from_stride = stride;
  }
  run.c = buffered ? sums : c;
  run.stride = buffered ? kCols : stride;
  run.count = divide_up(at.rows, rows);
  run.a_step = rows * run.depth;
  Tiles::run(rows, run);
  if (buffered) StoreSums(activation, sums, at.rows, cols, c, stride);
}

// Depth of the slices when `padded_k` is split evenly, with no slice deeper than `most`.
template <class Tiles>
int64_t even_slice(int64_t padded_k, int64_t most) {
  return padded_depth<Tiles>(divide_up(padded_k, divide_up(padded_k, most)));
}

// `depth` elements of each column of a panel of b, from k on.
struct Slice {
  int64_t panel, k, depth;
};

// `panels` provides a slice and the memory that run i of n prefetches from the next slice. A tile that
// exceeds the edge of c is a run of its own.
template <class Tiles, class Panels>
void RunBlock(const MatmulArgs& args, const Block& block, const Panels& panels) {
  const Scratch<Tiles> scratch = scratch_of<Tiles>();
  const int64_t padded_k = padded_depth<Tiles>(args.k), slice = even_slice<Tiles>(padded_k, Tiles::kMaxDepth);
  const int64_t whole_rows = block.rows / kRows * kRows, rows_per_run = Panels::kTilesPerRun * kRows;
  const int64_t runs = std::max<int64_t>(1, divide_up(whole_rows, rows_per_run)),
                end = block.panel + block.panels;
  // The slice of the next panel. After the last panel: the next slice of the first panel, or its first slice
  // again for the rows of the next block.
  const auto next_slice = [&](const Slice& s) -> Slice {
    if (s.panel + 1 < end) return {s.panel + 1, s.k, s.depth};
    const int64_t k = s.k + s.depth < padded_k ? s.k + s.depth : 0;
    return {block.panel, k, std::min(slice, padded_k - k)};
  };
  for (int64_t k = 0; k < padded_k; k += slice) {
    const int64_t depth = std::min(slice, padded_k - k);
    for (int64_t r = 0; r < block.rows; r += kRows) {
      Tiles::pack_rows(args, block.batch, block.row + r, std::min(kRows, block.rows - r), k,
                       std::min(depth, args.k - k), scratch.a + r * depth);
    }
    for (int64_t panel = block.panel; panel < end; ++panel) {
      const PanelBias bias(args, panel);
      const Slice at = {panel, k, depth};
      const auto* b = panels.at(at);
      for (int64_t r = 0, i = 0; r < block.rows; ++i) {
        const int64_t rows = r < whole_rows ? std::min(rows_per_run, whole_rows - r) : block.rows - r;
        RunRows<Tiles>(args, {block.batch * args.m + block.row + r, rows, panel, k}, bias, scratch.sums,
                       {.a = scratch.a + r * depth,
                        .b = b,
                        .depth = depth,
                        .ahead = i < runs ? panels.ahead(next_slice(at), i, runs) : PrefetchRange()});
        r += rows;
      }
    }
  }
}

// k = 0: c = f(bias), or c is unchanged.
inline void RunEmpty(const MatmulArgs& args) {
  if (args.accumulate) return;
  for (int64_t panel = 0; panel * kCols < args.n; ++panel) {
    const PanelBias bias(args, panel);
    const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column);
    for (int64_t r = 0; r < args.c.rows; ++r) {
      StoreSums(args.activation, bias.row, 1, cols, args.c.row<float>(r) + column, args.c.stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
