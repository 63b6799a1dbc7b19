// Dot products of one row with the rows of an unpacked matrix, eight at a time, per SIMD target. Blocks of
// 4x4 elements are transposed in registers, so that every sum adds its products in the same order as the
// register tile (tile-inl.h).
#if defined(LOCUS_KERNEL_CPU_DOT_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_DOT_STRIP_INL_H_
#undef LOCUS_KERNEL_CPU_DOT_STRIP_INL_H_
#else
#define LOCUS_KERNEL_CPU_DOT_STRIP_INL_H_
#endif

#include "locus/kernel/cpu/bf16-inl.h"
#include "locus/kernel/cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

inline constexpr int64_t kStrip = 16;  // columns of c (rows of b) in one unit of work
inline constexpr int64_t kHalf = 8;    // columns read at a time; sixteen streams are slower than eight

template <class B>
struct Strip {
  const B* b;  // row j is at b + j * stride
  int64_t stride, k;
  const B* ahead = nullptr;  // strip to prefetch: the next one, or this one; null: no prefetch
};

// Elements of a, rounded to bf16 if b is bf16.
template <class D>
HWY_INLINE hn::Vec<D> load_a(D d, const float* a, const float*) {
  return hn::LoadU(d, a);
}
template <class D>
HWY_INLINE hn::Vec<D> load_a(D d, const float* a, const Bf16*) {
  return round_to_bf16(d, hn::LoadU(d, a));
}

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE Square load_transposed(const Bf16* from, int64_t stride) {
  const QuadTag q;
  return transposed({load_bf16(q, from), load_bf16(q, from + stride), load_bf16(q, from + 2 * stride),
                     load_bf16(q, from + 3 * stride)});
}

// sum[column] += a[i] b[column][i], i = 0 .. 3 in this order, for four columns
HWY_INLINE Quad multiply_add(Quad sum, Quad a, const Square& b) {
  sum = hn::MulAdd(hn::Broadcast<0>(a), b.r0, sum);
  sum = hn::MulAdd(hn::Broadcast<1>(a), b.r1, sum);
  sum = hn::MulAdd(hn::Broadcast<2>(a), b.r2, sum);
  return hn::MulAdd(hn::Broadcast<3>(a), b.r3, sum);
}

// The kHalf columns of a strip that start at `column`. The first half prefetches the second.
template <class B>
HWY_INLINE Strip<B> half_of(const Strip<B>& s, int64_t column) {
  const B *b = s.b + column * s.stride, *second = s.b + kHalf * s.stride;
  return {b, s.stride, s.k, column == 0 && s.ahead ? second : s.ahead};
}

// Adds the products of a with kHalf columns to their sums, over whole groups of four k. With kAhead each step
// prefetches as many bytes as it uses, because the hardware prefetcher cannot follow this many rows.
template <bool kAhead, class B>
HWY_INLINE void add_half(const Strip<B>& s, const float* a, float* sums) {
  const QuadTag q;
  const B *b0 = s.b, *b1 = b0 + 4 * s.stride;
  Quad s0 = hn::LoadU(q, sums), s1 = hn::LoadU(q, sums + 4);
  for (int64_t k = 0; k + 4 <= s.k; k += 4) {
    for (int64_t line = 0; kAhead && line < 2; ++line) {
      __builtin_prefetch(s.ahead + kHalf * k + 16 * line, 0, 2);
    }
    const Quad x = load_a(q, a + k, s.b);
    s0 = multiply_add(s0, x, load_transposed(b0 + k, s.stride));
    s1 = multiply_add(s1, x, load_transposed(b1 + k, s.stride));
  }
  hn::StoreU(s0, q, sums), hn::StoreU(s1, q, sums + 4);
}

#endif

HWY_INLINE float to_f32(float x) { return x; }

// sum + a[k] b[k] + .. from k on, in order
template <class B>
HWY_INLINE float finish_dot(const float* a, const B* b, int64_t k, int64_t end, float sum) {
  const hn::CappedTag<float, 1> one;
  auto chain = hn::Set(one, sum);
  for (; k < end; ++k) chain = hn::MulAdd(load_a(one, a + k, b), hn::Set(one, to_f32(b[k])), chain);
  return hn::GetLane(chain);
}

// Finishes the dot products of up to kStrip columns from k on
template <class B>
HWY_INLINE void finish_dots(const Strip<B>& s, int64_t cols, const float* a, int64_t k, float* sums) {
  for (int64_t j = 0; k < s.k && j < cols; ++j) {
    sums[j] = finish_dot(a, s.b + j * s.stride, k, s.k, sums[j]);
  }
}

// sums[j] += a . row j of the strip, for kStrip columns (fewer at the end of b)
template <class B>
HWY_INLINE void add_dots(const Strip<B>& s, int64_t cols, const float* a, float* sums) {
  int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if (cols == kStrip) {
    done = s.k / 4 * 4;
    for (int64_t column = 0; column < kStrip; column += kHalf) {
      const Strip<B> half = half_of(s, column);
      s.ahead ? add_half<true>(half, a, sums + column) : add_half<false>(half, a, sums + column);
    }
  }
#endif
  finish_dots(s, cols, a, done, sums);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
