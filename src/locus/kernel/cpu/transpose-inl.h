// A transposed copy in squares of 4 x 4, per SIMD target. A vector holds one square row per block of 128
// bits, because Highway interleaves within those blocks.
#if defined(LOCUS_KERNEL_CPU_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_TRANSPOSE_INL_H_
#undef LOCUS_KERNEL_CPU_TRANSPOSE_INL_H_
#else
#define LOCUS_KERNEL_CPU_TRANSPOSE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using QuadTag = hn::FixedTag<float, 4>;
using Quad = hn::Vec<QuadTag>;

struct Square {
  Quad r0, r1, r2, r3;
};

// Transposes each square: element c of row r becomes element r of row c.
template <class D, class V>
HWY_INLINE void transpose_squares(D d, V& r0, V& r1, V& r2, V& r3) {
  const V even_low = hn::InterleaveLower(d, r0, r2), even_high = hn::InterleaveUpper(d, r0, r2);
  const V odd_low = hn::InterleaveLower(d, r1, r3), odd_high = hn::InterleaveUpper(d, r1, r3);
  r0 = hn::InterleaveLower(d, even_low, odd_low), r1 = hn::InterleaveUpper(d, even_low, odd_low);
  r2 = hn::InterleaveLower(d, even_high, odd_high), r3 = hn::InterleaveUpper(d, even_high, odd_high);
}
HWY_INLINE Square transposed(Square s) {
  transpose_squares(QuadTag(), s.r0, s.r1, s.r2, s.r3);
  return s;
}
HWY_INLINE Square load_square(const float* from, int64_t stride) {
  const QuadTag q;
  return {hn::LoadU(q, from), hn::LoadU(q, from + stride), hn::LoadU(q, from + 2 * stride),
          hn::LoadU(q, from + 3 * stride)};
}
HWY_INLINE Square load_transposed(const float* from, int64_t stride) {
  return transposed(load_square(from, stride));
}
HWY_INLINE void store_square(const Square& square, float* to, int64_t stride) {
  const QuadTag q;
  hn::StoreU(square.r0, q, to);
  hn::StoreU(square.r1, q, to + stride);
  hn::StoreU(square.r2, q, to + 2 * stride);
  hn::StoreU(square.r3, q, to + 3 * stride);
}
#endif

struct Transpose {
  const float* from;  // [rows][cols], rows `stride` apart
  int64_t stride, rows, cols;
  float* to;  // [cols][rows], rows `to_stride` apart
  int64_t to_stride;
};

#if HWY_TARGET != HWY_SCALAR
// Four elements of each of kWide / 4 rows that are four rows apart.
template <size_t kWide>
HWY_INLINE auto load_quads(const float* from, int64_t stride) {
  const hn::FixedTag<float, kWide> d;
  if constexpr (kWide == 4) {
    return hn::LoadU(d, from);
  } else {
    constexpr size_t kHalf = kWide / 2;
    return hn::Combine(d, load_quads<kHalf>(from + kHalf * stride, stride), load_quads<kHalf>(from, stride));
  }
}

// Rows that are read alternately, four columns at a time: as many streams as the hardware prefetcher follows.
inline constexpr int64_t kPrefetchedRows = 16;

// Strips of kWide rows from row r on, then strips of half the height, down to four rows.
template <size_t kWide>
HWY_INLINE void transpose_strips(const Transpose& t, int64_t r) {
  constexpr int64_t kRowsEach = kWide;
  const hn::FixedTag<float, kWide> d;
  const int64_t end = r + (t.rows - r) / kRowsEach * kRowsEach, fours = t.cols / 4 * 4;
  for (int64_t until; r < end; r = until) {
    until = std::min(end, r + kPrefetchedRows);
    for (int64_t c = 0; c < fours; c += 4) {
      for (int64_t i = r; i < until; i += kRowsEach) {
        const float* from = t.from + i * t.stride + c;
        float* to = t.to + c * t.to_stride + i;
        auto r0 = load_quads<kWide>(from, t.stride), r1 = load_quads<kWide>(from + t.stride, t.stride);
        auto r2 = load_quads<kWide>(from + 2 * t.stride, t.stride);
        auto r3 = load_quads<kWide>(from + 3 * t.stride, t.stride);
        transpose_squares(d, r0, r1, r2, r3);
        hn::StoreU(r0, d, to), hn::StoreU(r1, d, to + t.to_stride);
        hn::StoreU(r2, d, to + 2 * t.to_stride), hn::StoreU(r3, d, to + 3 * t.to_stride);
      }
    }
    for (int64_t c = fours; c < t.cols; ++c) {
      for (int64_t i = r; i < until; ++i) t.to[c * t.to_stride + i] = t.from[i * t.stride + c];
    }
  }
  if constexpr (kWide > 4) transpose_strips<kWide / 2>(t, end);
}
#endif

HWY_INLINE void transpose(const Transpose& t) {
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  transpose_strips<HWY_LANES(float)>(t, 0);
  r = t.rows / 4 * 4;
#endif
  for (; r < t.rows; ++r) {
    for (int64_t c = 0; c < t.cols; ++c) t.to[c * t.to_stride + r] = t.from[r * t.stride + c];
  }
}

// The same into columns [0, width) of `to`; columns from `rows` on are set to zero.
HWY_INLINE void transpose_padded(const Transpose& t, int64_t width) {
  for (int64_t c = 0; t.rows < width && c < t.cols; ++c) {
    std::fill(t.to + c * t.to_stride + t.rows, t.to + c * t.to_stride + width, 0.0f);
  }
  transpose(t);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
