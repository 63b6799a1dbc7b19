// The matrix product. c is cut into blocks of kBlockRows rows and some panels of columns; a task owns one
// block, packs the rows of a it needs slice by slice of k and runs the register tile over it (tile-inl.h).
// No element's arithmetic depends on which block it is in, so the cut may follow the number of threads.
#include <algorithm>
#include <array>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/cpu.h"

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

int64_t PackedSize(int64_t k, int64_t n) { return std::max<int64_t>(divide_up(n, kCols) * kCols * k, 1); }

void Pack(const PackArgs& args) {
  const int64_t panels = divide_up(args.n, kCols);
  if (args.k == 0) return;
  const int64_t grain = std::max<int64_t>(1, 65536 / (args.k * kCols));
  parallel_for(args.batch * panels, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / panels, panel = i % panels;
      const float* b = args.b.row<float>(batch * (args.transposed ? args.n : args.k));
      float* out = args.packed.row<float>(batch) + panel * kCols * args.k;
      pack_b(b, args.b.stride, args.transposed, args.k, panel * kCols, args.n, out);
    }
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
    for (int64_t r = 0; r < rows; ++r, c += stride) {
      const Row sum = load_row(c);
      store_row({activate(f, which, hn::Add(sum.x, add.x)), activate(f, which, hn::Add(sum.y, add.y)),
                 activate(f, which, hn::Add(sum.z, add.z))},
                c);
    }
  });
}

struct Block {
  int64_t batch, row, rows, panel, panels;  // rows of c, panels of b
};

// One tile of c at (row, column), of which rows x cols exist. A tile over the edge is computed in `edge`.
void RunTile(const MatmulArgs& args, const Block& block, const float* a, int64_t row, int64_t rows,
             int64_t panel, int64_t k, int64_t depth) {
  const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column), computed = tile_rows(rows);
  const float* b = args.packed.row<float>(block.batch) + panel * kCols * args.k + k * kCols;
  float* c = args.c.row<float>(block.batch * args.m + row) + column;
  const bool load = args.accumulate || k > 0, last = k + depth == args.k;
  const int64_t share = depth * kCols * 4 / divide_up(block.rows, kRows);
  const char* next = reinterpret_cast<const char*>(b + args.k * kCols);
  Tile tile = {.a = a,
               .group = 4 * depth,
               .b = b,
               .depth = depth,
               .c = c,
               .stride = args.c.stride,
               .from = load ? c : nullptr,
               .from_stride = args.c.stride,
               .ahead = next + (row - block.row) / kRows * share,
               .ahead_bytes = share};
  const bool finish = last && !args.accumulate;
  if (rows == computed && cols == kCols) {
    run_tile(computed, tile);
    if (finish) Finish(args, column, rows, c, args.c.stride);
  } else {
    std::array<float, kRows* kCols> edge = {};
    for (int64_t r = 0; load && r < rows; ++r) std::copy_n(c + r * args.c.stride, cols, &edge[r * kCols]);
    tile.c = edge.data();
    tile.stride = kCols;
    tile.from = load ? edge.data() : nullptr;
    tile.from_stride = kCols;
    run_tile(computed, tile);
    if (finish) Finish(args, column, rows, edge.data(), kCols);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(&edge[r * kCols], cols, c + r * args.c.stride);
  }
}

void RunBlock(const MatmulArgs& args, const Block& block) {
  HWY_ALIGN float packed[kBlockRows * kDepth];
  const float* a = args.a.row<float>(block.batch * (args.a_transposed ? args.k : args.m));
  const int64_t slices = divide_up(args.k, kDepth), slice = divide_up(args.k, slices);
  for (int64_t k = 0; k < args.k; k += slice) {
    const int64_t depth = std::min(slice, args.k - k);
    for (int64_t r = 0; r < block.rows; r += kRows) {
      pack_a(a, args.a.stride, args.a_transposed, block.row + r, std::min(kRows, block.rows - r), k, depth,
             packed + r * depth);
    }
    for (int64_t panel = block.panel; panel < block.panel + block.panels; ++panel) {
      for (int64_t r = 0; r < block.rows; r += kRows) {
        RunTile(args, block, packed + r * depth, block.row + r, std::min(kRows, block.rows - r), panel, k,
                depth);
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
  // Enough tasks to keep the threads evenly busy, but at least eight panels each: every task packs its rows of
  // a anew.
  const int64_t wanted = divide_up(8 * threads(), args.batch * row_blocks);
  const int64_t panels_each = std::max(divide_up(panels, wanted), std::min<int64_t>(8, panels));
  const int64_t column_blocks = divide_up(panels, panels_each);
  parallel_for(args.batch * column_blocks * row_blocks, 1, [&](int64_t begin, int64_t) HWY_ATTR {
    const int64_t row = begin % row_blocks * kBlockRows, rest = begin / row_blocks;
    const int64_t panel = rest % column_blocks * panels_each;
    RunBlock(args, {.batch = rest / column_blocks,
                    .row = row,
                    .rows = std::min(kBlockRows, args.m - row),
                    .panel = panel,
                    .panels = std::min(panels_each, panels - panel)});
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

int64_t packed_size(int64_t k, int64_t n) { return HWY_DYNAMIC_DISPATCH(PackedSize)(k, n); }
void pack(const PackArgs& args) { HWY_DYNAMIC_DISPATCH(Pack)(args); }
void matmul(const MatmulArgs& args) { HWY_DYNAMIC_DISPATCH(Matmul)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
