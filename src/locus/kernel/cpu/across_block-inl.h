// A product of some rows with b as it lies, per SIMD target: slices of k, panels of columns, and for each the
// tile of across-inl.h.
#if defined(LOCUS_KERNEL_CPU_ACROSS_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ACROSS_BLOCK_INL_H_
#undef LOCUS_KERNEL_CPU_ACROSS_BLOCK_INL_H_
#else
#define LOCUS_KERNEL_CPU_ACROSS_BLOCK_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "locus/kernel/cpu/across-inl.h"
#include "locus/kernel/cpu/matmul_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Of more rows, a passes so often that packing b, for tiles with twice the columns, costs less.
inline constexpr int64_t kMostAcross = 64;
// Columns of a panel that are summed: some targets compute more than it has.
inline constexpr int64_t kSummed = (kCols + kTall - 1) / kTall * kTall;

// Vectors of a's rows in the group that comes next, of `left`: none stands alone if it can be helped.
constexpr int64_t group_of(int64_t left) { return left == 4 ? 2 : std::min<int64_t>(left, 3); }

// The columns of one panel, of f32, for one slice of k. Sums of a panel stay in the first-level cache, and so
// do kTall rows of b, a piece of k at a time, while groups of a's rows pass.
struct AcrossPanel {
  const MatmulArgs& args;
  ConstView b;
  const float* packed;  // a
  float* sums;          // [kSummed][rows, padded to whole vectors]
  int64_t padded;

  void run(int64_t panel, int64_t k, int64_t depth) const {
    const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column), rows = args.m;
    const int64_t piece = even<FloatTiles>(depth, kDepth);
    float* c = args.c.row<float>(0) + column;
    if (k == 0) {
      const Start start(args, panel);
      for (int64_t i = 0; i < kSummed; ++i) {
        std::fill_n(sums + i * padded, padded, i < kCols ? start.row[i] : 0.0f);
      }
    } else {
      transpose(
          {.from = c, .stride = args.c.stride, .rows = rows, .cols = cols, .to = sums, .to_stride = padded});
    }
    for (int64_t row = 0; row < cols; row += kTall) {
      for (int64_t done = 0; done < depth; done += piece) {
        const float* at = b.row<float>(column + row) + k + done;
        const bool ends = done + piece >= depth, last = column + row + 2 * kTall > args.n;
        groups({.b = at,
                .stride = b.stride,
                .rows = std::min(kTall, cols - row),
                .depth = std::min(piece, depth - done),
                .sums = sums + row * padded,
                .sums_stride = padded,
                .ahead = !ends  ? at + piece
                         : last ? at  // there: nothing behind b may be asked for
                                : at + kTall * b.stride - done},
               depth, done);
      }
    }
    float* done = sums + kSummed * padded;  // [rows][kCols]
    transpose({.from = sums, .stride = padded, .rows = kCols, .cols = rows, .to = done, .to_stride = kCols});
    StoreSums(k + depth == args.k ? args.activation : Activation::none, done, rows, cols, c, args.c.stride);
  }

  void groups(Across tile, int64_t depth, int64_t done) const {
    const int64_t vectors = padded / kLanes;
    for (int64_t v = 0; v < vectors; v += group_of(vectors - v)) {
      const int64_t wide = group_of(vectors - v);
      tile.a = packed + v * kLanes * depth + done * wide * kLanes;
      wide == 1 ? tile_across<1>(tile) : wide == 2 ? tile_across<2>(tile) : tile_across<3>(tile);
      tile.sums += wide * kLanes;
      tile.ahead = tile.b;
    }
  }
};

inline void RunAcross(const MatmulArgs& args, ConstView b, int64_t begin, int64_t end) {
  const int64_t padded = divide_up(args.m, kLanes) * kLanes, vectors = padded / kLanes;
  const Scratch<FloatTiles> scratch = scratch_of<FloatTiles>();
  static_assert((kSummed + kCols) * kMostAcross <= kCols * FloatTiles::kMost && kMostAcross % kLanes == 0);
  const AcrossPanel across = {args, b, scratch.a, scratch.b, padded};
  // Fewer rows than kBlockRows are packed deeper, in the same place.
  const int64_t slice = even<FloatTiles>(args.k, kBlockRows / padded * FloatTiles::kMost);
  for (int64_t k = 0; k < args.k; k += slice) {
    const int64_t depth = std::min(slice, args.k - k);
    for (int64_t v = 0; v < vectors; v += group_of(vectors - v)) {
      const int64_t wide = group_of(vectors - v) * kLanes, row = v * kLanes;
      transpose_padded({.from = args.a.row<float>(row) + k,
                        .stride = args.a.stride,
                        .rows = std::min(wide, args.m - row),
                        .cols = depth,
                        .to = scratch.a + row * depth,
                        .to_stride = wide},
                       wide);
    }
    for (int64_t panel = begin; panel < end; ++panel) across.run(panel, k, depth);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
