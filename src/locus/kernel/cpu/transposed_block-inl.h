// A product with an unpacked b by transposed tiles (transposed_tile-inl.h), per SIMD target: loops over
// slices of k and panels of columns.
#if defined(LOCUS_KERNEL_CPU_TRANSPOSED_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_TRANSPOSED_BLOCK_INL_H_
#undef LOCUS_KERNEL_CPU_TRANSPOSED_BLOCK_INL_H_
#else
#define LOCUS_KERNEL_CPU_TRANSPOSED_BLOCK_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "locus/kernel/cpu/matmul_block-inl.h"
#include "locus/kernel/cpu/transposed_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// With more rows, a is read so often that packing b is cheaper: the packed tile covers twice the columns.
inline constexpr int64_t kMaxTransposedRows = 64;
// Columns of a panel rounded up to whole tiles: some targets compute more sums than the panel has columns.
inline constexpr int64_t kSumCols = (kCols + kTileRowsOfB - 1) / kTileRowsOfB * kTileRowsOfB;

// Number of vectors of rows of a in the next group, if `left` remain. Avoids a group of one vector if
// possible.
constexpr int64_t next_group(int64_t left) { return left == 4 ? 2 : std::min<int64_t>(left, 3); }

// The columns of one f32 panel for one slice of k. The sums of the panel stay in the L1 cache. So do
// kTileRowsOfB rows of b, one piece of k at a time, while the groups of rows of a pass by.
struct TransposedPanel {
  const MatmulArgs& args;
  ConstView b;
  const float* packed;  // packed a
  float* sums;          // [kSumCols][rows, padded to whole vectors]
  int64_t padded;

  void run(int64_t panel, int64_t k, int64_t depth) const {
    const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column), rows = args.m;
    const int64_t piece = even_slice<FloatTiles>(depth, kDepth);
    float* c = args.c.row<float>(0) + column;
    if (k == 0) {
      const PanelBias bias(args, panel);
      for (int64_t i = 0; i < kSumCols; ++i) {
        std::fill_n(sums + i * padded, padded, i < kCols ? bias.row[i] : 0.0f);
      }
    } else {
      transpose(
          {.from = c, .stride = args.c.stride, .rows = rows, .cols = cols, .to = sums, .to_stride = padded});
    }
    for (int64_t row = 0; row < cols; row += kTileRowsOfB) {
      for (int64_t done = 0; done < depth; done += piece) {
        const float* at = b.row<float>(column + row) + k + done;
        const bool ends = done + piece >= depth, last = column + row + 2 * kTileRowsOfB > args.n;
        groups({.b = at,
                .stride = b.stride,
                .rows = std::min(kTileRowsOfB, cols - row),
                .depth = std::min(piece, depth - done),
                .sums = sums + row * padded,
                .sums_stride = padded,
                .ahead = !ends  ? at + piece
                         : last ? at  // do not prefetch past the end of b
                                : at + kTileRowsOfB * b.stride - done},
               depth, done);
      }
    }
    float* done = sums + kSumCols * padded;  // [rows][kCols]
    transpose({.from = sums, .stride = padded, .rows = kCols, .cols = rows, .to = done, .to_stride = kCols});
    StoreSums(k + depth == args.k ? args.activation : Activation::none, done, rows, cols, c, args.c.stride);
  }

  void groups(TransposedTile tile, int64_t depth, int64_t done) const {
    const int64_t vectors = padded / kLanes;
    for (int64_t v = 0; v < vectors; v += next_group(vectors - v)) {
      const int64_t wide = next_group(vectors - v);
      tile.a = packed + v * kLanes * depth + done * wide * kLanes;
      wide == 1   ? run_transposed_tile<1>(tile)
      : wide == 2 ? run_transposed_tile<2>(tile)
                  : run_transposed_tile<3>(tile);
      tile.sums += wide * kLanes;
      tile.ahead = tile.b;
    }
  }
};

inline void RunTransposed(const MatmulArgs& args, ConstView b, int64_t begin, int64_t end) {
  const int64_t padded = divide_up(args.m, kLanes) * kLanes, vectors = padded / kLanes;
  const Scratch<FloatTiles> scratch = scratch_of<FloatTiles>();
  static_assert((kSumCols + kCols) * kMaxTransposedRows <= kCols * FloatTiles::kMaxDepth &&
                kMaxTransposedRows % kLanes == 0);
  const TransposedPanel product = {args, b, scratch.a, scratch.b, padded};
  // With fewer rows than kBlockRows the slices are deeper and use the same memory.
  const int64_t slice = even_slice<FloatTiles>(args.k, kBlockRows / padded * FloatTiles::kMaxDepth);
  for (int64_t k = 0; k < args.k; k += slice) {
    const int64_t depth = std::min(slice, args.k - k);
    for (int64_t v = 0; v < vectors; v += next_group(vectors - v)) {
      const int64_t wide = next_group(vectors - v) * kLanes, row = v * kLanes;
      transpose_padded({.from = args.a.row<float>(row) + k,
                        .stride = args.a.stride,
                        .rows = std::min(wide, args.m - row),
                        .cols = depth,
                        .to = scratch.a + row * depth,
                        .to_stride = wide},
                       wide);
    }
    for (int64_t panel = begin; panel < end; ++panel) product.run(panel, k, depth);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
