// Products with bf16 weights on Arm CPUs that have BFMMLA. The instruction computes c[2][2] += a[2][4]
// b[4][2] of bf16 numbers with f32 sums, at best four times as fast as f32 multiply-adds. Only bfmmla.cc is
// compiled for such CPUs. So callers must check has_bfmmla(), and the file shares no inline function with
// other files.
//
//   packed b:  panels of kCols columns, each [k / 4][kCols / 2][2 columns][4 of k]
//   packed a:  panels of 2, 4 or 8 rows, each [k / 4][rows / 2][2 rows][4 of k], rounded to nearest even
// k is padded with zeros. Rows and columns past the last repeat it; their sums are not stored.
#pragma once

#include <cstdint>

#include "locus/kernel/cpu/tile.h"

namespace locus::kernel::cpu::bfmmla {

inline constexpr int64_t kRows = 8, kCols = 12, kStep = 4;
inline constexpr int64_t kStripRows = 4, kStripCols = 16;

// c[rows][kCols] = from + a b. rows is 2, 4 or 8, depth a multiple of kStep. Each element adds its products
// in the order of k, so its bits do not depend on the tile or on the slices of k.
void run_tiles(int64_t rows, const TileRun<uint16_t>& run);

// Packs `depth` elements of `count` rows at `a` into a panel of `rows` rows.
void pack_a(const float* a, int64_t stride, int64_t count, int64_t rows, int64_t depth, uint16_t* out);
// Packs `count` rows of b [n, k] (the layout of weights) as the columns of a panel.
void pack_b(const uint16_t* b, int64_t stride, int64_t count, int64_t k, uint16_t* out);

// Adds the products of up to kStripRows rows of a with up to kStripCols rows of an unpacked b to `sums`, in
// the same order as the tile.
struct Strip {
  const float* a;
  int64_t a_stride, rows;
  const uint16_t *b, *ahead;  // ahead: the strip to prefetch
  int64_t b_stride, cols, k;
};
void run_strip(const Strip& strip, float* sums);  // [kStripRows][kStripCols]

}  // namespace locus::kernel::cpu::bfmmla
