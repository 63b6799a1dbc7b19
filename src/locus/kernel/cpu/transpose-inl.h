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
// to[c][r] = from[r][c] for r, c < 4
HWY_INLINE void transpose_square(const float* from, int64_t stride, float* to, int64_t to_stride) {
  const hn::FixedTag<float, 4> f;
  const auto r0 = hn::LoadU(f, from), r1 = hn::LoadU(f, from + stride);
  const auto r2 = hn::LoadU(f, from + 2 * stride), r3 = hn::LoadU(f, from + 3 * stride);
  const auto even_low = hn::InterleaveLower(f, r0, r2), even_high = hn::InterleaveUpper(f, r0, r2);
  const auto odd_low = hn::InterleaveLower(f, r1, r3), odd_high = hn::InterleaveUpper(f, r1, r3);
  hn::StoreU(hn::InterleaveLower(f, even_low, odd_low), f, to);
  hn::StoreU(hn::InterleaveUpper(f, even_low, odd_low), f, to + to_stride);
  hn::StoreU(hn::InterleaveLower(f, even_high, odd_high), f, to + 2 * to_stride);
  hn::StoreU(hn::InterleaveUpper(f, even_high, odd_high), f, to + 3 * to_stride);
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
      transpose_square(t.from + r * t.stride + c, t.stride, t.to + c * t.to_stride + r, t.to_stride);
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
