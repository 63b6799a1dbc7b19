// The register tile of the matrix product and the two packed layouts it reads, per SIMD target.
//
// A tile is kRows x kCols elements of c: 24 accumulators on targets with 32 registers, 12 on targets with 16.
//   packed b:  panels of kCols columns, each [k][kCols]
//   packed a:  panels of kRows rows, each [k][kRows]; the last panel may have 1 or 4 rows
#if defined(LOCUS_KERNEL_CPU_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_TILE_INL_H_
#undef LOCUS_KERNEL_CPU_TILE_INL_H_
#else
#define LOCUS_KERNEL_CPU_TILE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/kernel/cpu/tile.h"
#include "locus/kernel/cpu/tile_neon.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;

inline constexpr int64_t kLanes = HWY_LANES(float);
inline constexpr int64_t kCols = 3 * kLanes;
// AVX2 and SSE4 have 16 registers; NEON and AVX-512 have 32.
inline constexpr int64_t kRows = (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4) ? 4 : 8;
// A slice of a b panel this deep (36 KB) stays in the L1 cache while rows of a stream past it.
inline constexpr int64_t kDepth = std::clamp<int64_t>(36864 / (kCols * 4), 128, 768);
// Rows of a that are packed together, in slices of kDepth: at most 384 KB, which fits in the L2 cache.
inline constexpr int64_t kBlockRows = 128;

struct Row {
  V x, y, z;
};

// row += a * (b0, b1, b2), the first kVectors of them
template <int kVectors = 3>
HWY_INLINE void multiply_add(Row& row, V a, V b0, V b1, V b2) {
  row.x = hn::MulAdd(a, b0, row.x);
  if constexpr (kVectors > 1) row.y = hn::MulAdd(a, b1, row.y);
  if constexpr (kVectors > 2) row.z = hn::MulAdd(a, b2, row.z);
}

// Element i of the four at p, broadcast to every lane. NEON multiplies by a lane of a loaded vector at no
// cost; other targets have a free broadcasting load.
template <int i>
HWY_INLINE V broadcast_lane([[maybe_unused]] const float* p, [[maybe_unused]] V four) {
#if HWY_TARGET == HWY_NEON
  return hn::Broadcast<i>(four);
#else
  return hn::Set(F(), p[i]);
#endif
}
HWY_INLINE V load_four([[maybe_unused]] const float* p) {
#if HWY_TARGET == HWY_NEON
  return hn::LoadU(F(), p);
#else
  return hn::Zero(F());
#endif
}

// The first kVectors vectors of a row; the others are not used.
template <int kVectors = 3>
HWY_INLINE Row load_row(const float* c) {
  const F f;
  const V x = hn::LoadU(f, c);
  return {x, kVectors > 1 ? hn::LoadU(f, c + kLanes) : x, kVectors > 2 ? hn::LoadU(f, c + 2 * kLanes) : x};
}
HWY_INLINE Row zero_row() {
  const F f;
  return {hn::Zero(f), hn::Zero(f), hn::Zero(f)};
}
template <int kVectors = 3>
HWY_INLINE void store_row(const Row& row, float* c) {
  const F f;
  hn::StoreU(row.x, f, c);
  if constexpr (kVectors > 1) hn::StoreU(row.y, f, c + kLanes);
  if constexpr (kVectors > 2) hn::StoreU(row.z, f, c + 2 * kLanes);
}

// c[R][kCols] = from + a b. Each element adds its products in the order of k, so its bits do not depend on R,
// on the tile or on the slices of k. R is 1, 4 or 8. Named rows, because g++ 12 keeps an array of vectors on
// the stack.
template <int R>
HWY_INLINE void one_tile(const TileRun<float>& t) {
  const F f;
  const float* HWY_RESTRICT a = t.a;
  const float* HWY_RESTRICT b = t.b;
  const float* from = t.from;
  float* c = t.c;
  const int64_t stride = t.stride, depth = t.depth, from_stride = t.from_stride;
  Row r0 = from ? load_row(from) : zero_row(), r1 = zero_row(), r2 = r1, r3 = r1, r4 = r1, r5 = r1, r6 = r1,
      r7 = r1;
  if (from && R >= 4) {
    r1 = load_row(from + from_stride), r2 = load_row(from + 2 * from_stride),
    r3 = load_row(from + 3 * from_stride);
  }
  if (from && R == 8) {
    r4 = load_row(from + 4 * from_stride), r5 = load_row(from + 5 * from_stride);
    r6 = load_row(from + 6 * from_stride), r7 = load_row(from + 7 * from_stride);
  }
#pragma GCC unroll 2
  for (int64_t k = 0; k < depth; ++k, a += R, b += kCols) {
    const V b0 = hn::LoadU(f, b), b1 = hn::LoadU(f, b + kLanes), b2 = hn::LoadU(f, b + 2 * kLanes);
    if constexpr (R == 1) {
      multiply_add(r0, hn::Set(f, a[0]), b0, b1, b2);
    }
    if constexpr (R >= 4) {
      const V four = load_four(a);
      multiply_add(r0, broadcast_lane<0>(a, four), b0, b1, b2);
      multiply_add(r1, broadcast_lane<1>(a, four), b0, b1, b2);
      multiply_add(r2, broadcast_lane<2>(a, four), b0, b1, b2);
      multiply_add(r3, broadcast_lane<3>(a, four), b0, b1, b2);
    }
    if constexpr (R == 8) {
      const V four = load_four(a + 4);
      multiply_add(r4, broadcast_lane<0>(a + 4, four), b0, b1, b2);
      multiply_add(r5, broadcast_lane<1>(a + 4, four), b0, b1, b2);
      multiply_add(r6, broadcast_lane<2>(a + 4, four), b0, b1, b2);
      multiply_add(r7, broadcast_lane<3>(a + 4, four), b0, b1, b2);
    }
  }
  store_row(r0, c);
  if constexpr (R >= 4) {
    store_row(r1, c + stride), store_row(r2, c + 2 * stride), store_row(r3, c + 3 * stride);
  }
  if constexpr (R == 8) {
    store_row(r4, c + 4 * stride), store_row(r5, c + 5 * stride);
    store_row(r6, c + 6 * stride), store_row(r7, c + 7 * stride);
  }
}

// Rows that the tile computes if `rows` are left. The extra rows are zeros and are not stored.
HWY_INLINE int64_t tile_rows(int64_t rows) { return rows == 1 ? 1 : rows <= 4 ? 4 : kRows; }

// The tiles of a run, from top to bottom.
template <int R>
HWY_INLINE void tiles(TileRun<float> t) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if constexpr (R == 8) return run_tiles_of_eight(t);
#endif
  const int64_t bytes = divide_up(t.ahead.bytes, t.count);
  for (int64_t i = 0; i < t.count; ++i, t.a += t.a_step, t.c += R * t.stride, t.ahead.at += bytes) {
    for (int64_t line = 0; line < bytes; line += 64) hwy::Prefetch(t.ahead.at + line);
    one_tile<R>(t);
    if (t.from) t.from += R * t.from_stride;
  }
}

HWY_INLINE void run_tiles(int64_t rows, const TileRun<float>& t) {
  if (rows == 1) return tiles<1>(t);
  if (rows == 4) return tiles<4>(t);
  if constexpr (kRows == 8) tiles<8>(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
