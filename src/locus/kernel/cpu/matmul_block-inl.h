// A block of a matrix product, per SIMD target: some rows of c and some panels of its columns. The rows of a
// are packed slice by slice of k, and the register tile (tile-inl.h) runs over them with panels of b,
// wherever those come from. No element's arithmetic depends on which block it is in.
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

// What the sums of every row of a panel start from: the bias, or zeros.
struct Start {
  HWY_ALIGN float row[kCols] = {};

  Start(const MatmulArgs& args, int64_t panel) {
    const int64_t column = panel * kCols;
    if (args.bias) std::copy_n(args.bias.as<float>() + column, std::min(kCols, args.n - column), row);
  }
};

// c[rows][cols] = f(sums), whose rows are kCols apart
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

// Where a thread packs a slice of a block's rows, and of one panel of b, and keeps sums of a panel.
template <class Tiles>
struct Scratch {
  typename Tiles::Number *a, *b;
  float* sums;  // [kBlockRows][kCols]
};
template <class Tiles>
Scratch<Tiles> scratch_of() {
  using Number = typename Tiles::Number;
  constexpr int64_t rows = kBlockRows * Tiles::kMost, columns = kCols * Tiles::kMost;
  static_assert((rows + columns) * sizeof(Number) + kBlockRows * kCols * sizeof(float) <= kScratch);
  auto* a = reinterpret_cast<Number*>(thread_scratch());
  return {a, a + rows, reinterpret_cast<float*>(a + rows + columns)};
}

// Some rows of a panel, for a slice of k: tiles of which the last may be over the edge.
struct PanelRows {
  int64_t row, rows, panel, k;
};

// Sums go to c, or to `sums` where they wait for the activation, or would go over the edge. Rows of c are far
// apart, and fall on few sets of the first-level cache: there an activation would wait for them.
template <class Tiles>
void RunRows(const MatmulArgs& args, const PanelRows& at, const Start& start, float* sums,
             TileRun<typename Tiles::Number> run) {
  const int64_t rows = Tiles::rows(at.rows), column = at.panel * kCols, stride = args.c.stride;
  const int64_t cols = std::min(kCols, args.n - column);
  const bool complete = at.k + run.depth == whole_depth<Tiles>(args.k) && !args.accumulate;
  const Activation activation = complete ? args.activation : Activation::none;
  const bool edge = at.rows < rows || cols < kCols, keep = edge || activation != Activation::none;
  float* c = args.c.row<float>(at.row) + column;
  if (at.k == 0 && !args.accumulate) {
    run.from = args.bias ? start.row : nullptr, run.from_stride = 0;
  } else if (edge) {
    for (int64_t r = 0; r < at.rows; ++r) std::copy_n(c + r * stride, cols, sums + r * kCols);
    run.from = sums, run.from_stride = kCols;
  } else {
    run.from = c, run.from_stride = stride;
  }
  run.c = keep ? sums : c;
  run.stride = keep ? kCols : stride;
  run.count = divide_up(at.rows, rows);
  run.apart = rows * run.depth;
  Tiles::run(rows, run);
  if (keep) StoreSums(activation, sums, at.rows, cols, c, stride);
}

// The depth of even cuts of `whole`, none deeper than `most`.
template <class Tiles>
int64_t even(int64_t whole, int64_t most) {
  return whole_depth<Tiles>(divide_up(whole, divide_up(whole, most)));
}

// Depth numbers of each column of a panel of b.
struct Slice {
  int64_t panel, k, depth;
};

// Panels give a slice, and say what run i of n should ask for of the one behind it. A tile over the edge is a
// run of its own.
template <class Tiles, class Panels>
void RunBlock(const MatmulArgs& args, const Block& block, const Panels& panels) {
  const Scratch<Tiles> scratch = scratch_of<Tiles>();
  const int64_t whole = whole_depth<Tiles>(args.k), slice = even<Tiles>(whole, Tiles::kMost);
  const int64_t inside = block.rows / kRows * kRows, each = Panels::kTilesAtOnce * kRows;
  const int64_t runs = std::max<int64_t>(1, divide_up(inside, each)), end = block.panel + block.panels;
  // The next panel's, or the first panel's: deeper down, or of all for the rows of the next block.
  const auto behind = [&](const Slice& s) -> Slice {
    if (s.panel + 1 < end) return {s.panel + 1, s.k, s.depth};
    const int64_t k = s.k + s.depth < whole ? s.k + s.depth : 0;
    return {block.panel, k, std::min(slice, whole - k)};
  };
  for (int64_t k = 0; k < whole; k += slice) {
    const int64_t depth = std::min(slice, whole - k);
    for (int64_t r = 0; r < block.rows; r += kRows) {
      Tiles::pack_rows(args, block.batch, block.row + r, std::min(kRows, block.rows - r), k,
                       std::min(depth, args.k - k), scratch.a + r * depth);
    }
    for (int64_t panel = block.panel; panel < end; ++panel) {
      const Start start(args, panel);
      const Slice at = {panel, k, depth};
      const auto* b = panels.at(at);
      for (int64_t r = 0, i = 0; r < block.rows; ++i) {
        const int64_t rows = r < inside ? std::min(each, inside - r) : block.rows - r;
        RunRows<Tiles>(args, {block.batch * args.m + block.row + r, rows, panel, k}, start, scratch.sums,
                       {.a = scratch.a + r * depth,
                        .b = b,
                        .depth = depth,
                        .ahead = i < runs ? panels.ahead(behind(at), i, runs) : Ahead()});
        r += rows;
      }
    }
  }
}

// No product to add: c = f(bias), or c as it was.
inline void RunEmpty(const MatmulArgs& args) {
  if (args.accumulate) return;
  for (int64_t panel = 0; panel * kCols < args.n; ++panel) {
    const Start start(args, panel);
    const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column);
    for (int64_t r = 0; r < args.c.rows; ++r) {
      StoreSums(args.activation, start.row, 1, cols, args.c.row<float>(r) + column, args.c.stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
