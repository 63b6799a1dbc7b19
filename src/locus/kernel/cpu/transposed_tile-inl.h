// The transposed register tile, per SIMD target: the lanes are rows of a, and rows of b are read unpacked,
// four elements of each at a time. So b, which is far larger than a, need not be packed.
//
//   packed a:  groups of up to three vectors of its rows, each [k][vectors * kLanes]
//   sums:      [rows of b][rows of a]
#if defined(LOCUS_KERNEL_CPU_TRANSPOSED_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_TRANSPOSED_TILE_INL_H_
#undef LOCUS_KERNEL_CPU_TRANSPOSED_TILE_INL_H_
#else
#define LOCUS_KERNEL_CPU_TRANSPOSED_TILE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Rows of b per tile. Three vectors of sums per row and (on NEON) four elements of each row fit in the
// registers.
inline constexpr int64_t kTileRowsOfB = HWY_TARGET == HWY_NEON ? 6 : kCols % kRows == 0 ? kRows : 4;

struct TransposedTile {
  const float* a;
  const float* b;  // kTileRowsOfB rows, `stride` apart, of which `rows` exist
  int64_t stride, rows, depth;
  float* sums;
  int64_t sums_stride;
  const float* ahead;  // kTileRowsOfB rows of b to prefetch: the next ones, or these
};

// A value for each row of b in the tile. Named members, because g++ 12 keeps an array of vectors on the
// stack.
template <class T>
struct PerRowOfB {
  T r0, r1, r2, r3, r4, r5, r6, r7;
};

// sum += b[i] a, with b[0..3] in `four`; i = -1: b[0], without `four`
template <int kVectors, int i>
HWY_INLINE void add_product(Row& sum, const float* b, V four, const Row& a) {
  V factor = four;
  if constexpr (i < 0) {
    factor = hn::Set(F(), b[0]);
  } else {
    factor = broadcast_lane<i>(b, four);
  }
  multiply_add<kVectors>(sum, factor, a.x, a.y, a.z);
}
template <int kVectors, int i>
HWY_INLINE void add_step(PerRowOfB<Row>& sums, const PerRowOfB<const float*>& b, int64_t k,
                         const PerRowOfB<V>& four, const float* a) {
  const Row row = load_row<kVectors>(a);
  add_product<kVectors, i>(sums.r0, b.r0 + k, four.r0, row);
  add_product<kVectors, i>(sums.r1, b.r1 + k, four.r1, row);
  add_product<kVectors, i>(sums.r2, b.r2 + k, four.r2, row);
  add_product<kVectors, i>(sums.r3, b.r3 + k, four.r3, row);
  if constexpr (kTileRowsOfB >= 6) {
    add_product<kVectors, i>(sums.r4, b.r4 + k, four.r4, row);
    add_product<kVectors, i>(sums.r5, b.r5 + k, four.r5, row);
  }
  if constexpr (kTileRowsOfB == 8) {
    add_product<kVectors, i>(sums.r6, b.r6 + k, four.r6, row);
    add_product<kVectors, i>(sums.r7, b.r7 + k, four.r7, row);
  }
}

// Each element adds its products in the order of k, as in one_tile().
template <int kVectors>
HWY_INLINE void run_transposed_tile(const TransposedTile& t) {
  constexpr int64_t kWide = kVectors * kLanes;
  const auto row = [&](int64_t r) { return t.b + std::min(r, t.rows - 1) * t.stride; };
  const PerRowOfB<const float*> b = {row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)};
  const int64_t stride = t.sums_stride;
  float* to = t.sums;
  const Row first = load_row<kVectors>(to);
  PerRowOfB<Row> sums = {first,
                         load_row<kVectors>(to + stride),
                         load_row<kVectors>(to + 2 * stride),
                         load_row<kVectors>(to + 3 * stride),
                         first,
                         first,
                         first,
                         first};
  if constexpr (kTileRowsOfB >= 6) {
    sums.r4 = load_row<kVectors>(to + 4 * stride), sums.r5 = load_row<kVectors>(to + 5 * stride);
  }
  if constexpr (kTileRowsOfB == 8) {
    sums.r6 = load_row<kVectors>(to + 6 * stride), sums.r7 = load_row<kVectors>(to + 7 * stride);
  }
  const float* HWY_RESTRICT a = t.a;
  int64_t k = 0;
  for (; k + 4 <= t.depth; k += 4, a += 4 * kWide) {
    const PerRowOfB<V> four = {load_four(b.r0 + k), load_four(b.r1 + k), load_four(b.r2 + k),
                               load_four(b.r3 + k), load_four(b.r4 + k), load_four(b.r5 + k),
                               load_four(b.r6 + k), load_four(b.r7 + k)};
    add_step<kVectors, 0>(sums, b, k, four, a);
    add_step<kVectors, 1>(sums, b, k, four, a + kWide);
    add_step<kVectors, 2>(sums, b, k, four, a + 2 * kWide);
    add_step<kVectors, 3>(sums, b, k, four, a + 3 * kWide);
    // A cache line is 16 elements, so each row is prefetched in one of four steps.
    for (int64_t r = k / 4 % 4; r < kTileRowsOfB; r += 4) hwy::Prefetch(t.ahead + r * t.stride + k);
  }
  const V none = hn::Zero(F());
  const PerRowOfB<V> unused = {none, none, none, none, none, none, none, none};
  for (; k < t.depth; ++k, a += kWide) add_step<kVectors, -1>(sums, b, k, unused, a);
  store_row<kVectors>(sums.r0, to), store_row<kVectors>(sums.r1, to + stride);
  store_row<kVectors>(sums.r2, to + 2 * stride), store_row<kVectors>(sums.r3, to + 3 * stride);
  if constexpr (kTileRowsOfB >= 6) {
    store_row<kVectors>(sums.r4, to + 4 * stride), store_row<kVectors>(sums.r5, to + 5 * stride);
  }
  if constexpr (kTileRowsOfB == 8) {
    store_row<kVectors>(sums.r6, to + 6 * stride), store_row<kVectors>(sums.r7, to + 7 * stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
