// A transposed copy, four rows of four at a time, per SIMD target. Squares of 128 bits on every target: wider
// vectors would only interleave inside such blocks, and copies wait for memory, not for arithmetic.
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

// Element c of row r becomes element r of row c.
HWY_INLINE Square turned(const Square& s) {
  const QuadTag q;
  const Quad even_low = hn::InterleaveLower(q, s.r0, s.r2), even_high = hn::InterleaveUpper(q, s.r0, s.r2);
  const Quad odd_low = hn::InterleaveLower(q, s.r1, s.r3), odd_high = hn::InterleaveUpper(q, s.r1, s.r3);
  return {hn::InterleaveLower(q, even_low, odd_low), hn::InterleaveUpper(q, even_low, odd_low),
          hn::InterleaveLower(q, even_high, odd_high), hn::InterleaveUpper(q, even_high, odd_high)};
}
HWY_INLINE Square load_transposed(const float* from, int64_t stride) {
  const QuadTag q;
  return turned({hn::LoadU(q, from), hn::LoadU(q, from + stride), hn::LoadU(q, from + 2 * stride),
                 hn::LoadU(q, from + 3 * stride)});
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

HWY_INLINE void transpose(const Transpose& t) {
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; r + 4 <= t.rows; r += 4) {
    int64_t c = 0;
    for (; c + 4 <= t.cols; c += 4) {
      store_square(load_transposed(t.from + r * t.stride + c, t.stride), t.to + c * t.to_stride + r,
                   t.to_stride);
    }
    for (; c < t.cols; ++c) {
      for (int64_t i = r; i < r + 4; ++i) t.to[c * t.to_stride + i] = t.from[i * t.stride + c];
    }
  }
#endif
  for (; r < t.rows; ++r) {
    for (int64_t c = 0; c < t.cols; ++c) t.to[c * t.to_stride + r] = t.from[r * t.stride + c];
  }
}

// The same into columns [0, width) of `to`, where those from `rows` on become zero.
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
