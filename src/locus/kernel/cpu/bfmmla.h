// The products of bf16 weights on Arm CPUs that have BFMMLA: c[2][2] += a[2][4] b[4][2] in one instruction,
// of bf16 numbers, summed in f32; at best four times the f32 multiply-adds. bfmmla.cc alone is compiled for
// such CPUs, so it is called only where has_bfmmla() says so, and shares no inline function with other files.
//
//   packed b:  panels of kCols columns, each [k / 4][kCols / 2][2 columns][4 of k]
//   packed a:  panels of 2, 4 or 8 rows, each [k / 4][rows / 2][2 rows][4 of k], rounded to nearest even
// k is filled up with zeros. Rows and columns past the last repeat it: nobody stores their sums.
#pragma once

#include <cstdint>

#include "locus/kernel/cpu/tile.h"

namespace locus::kernel::cpu::bfmmla {

inline constexpr int64_t kRows = 8, kCols = 12, kStep = 4;
inline constexpr int64_t kStripRows = 4, kStripCols = 16;

// c[rows][kCols] = from + a b, rows 2, 4 or 8; depth a multiple of kStep. Each element is one chain in the
// order of k, so it does not matter which tile or which slice of k it was computed in.
void run_tiles(int64_t rows, const TileRun<uint16_t>& run);

// `count` rows at `a`, `depth` of each, into a panel of `rows`.
void pack_a(const float* a, int64_t stride, int64_t count, int64_t rows, int64_t depth, uint16_t* out);
// `count` rows of b at `b`, [n, k] as a weight lies: columns of a panel.
void pack_b(const uint16_t* b, int64_t stride, int64_t count, int64_t k, uint16_t* out);

// Up to kStripRows rows of a with up to kStripCols rows of b as they lie, added to their sums: the chains of
// the tile.
struct Strip {
  const float* a;
  int64_t a_stride, rows;
  const uint16_t *b, *ahead;  // the strip to ask for meanwhile
  int64_t b_stride, cols, k;
};
void run_strip(const Strip& strip, float* sums);  // [kStripRows][kStripCols]

}  // namespace locus::kernel::cpu::bfmmla
