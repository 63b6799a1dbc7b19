// Loops over a row of floats, per SIMD target. A body is written once for any vector size: it runs on full
// vectors, then on vectors of one lane for the tail. Both do the same operations, so the result of an element
// does not depend on its place in the row.
#if defined(LOCUS_KERNEL_CPU_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_SWEEP_INL_H_
#undef LOCUS_KERNEL_CPU_SWEEP_INL_H_
#else
#define LOCUS_KERNEL_CPU_SWEEP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A sweep calls a functor that can prefetch memory (kernel/cpu/prefetch.h), once per group of vectors that
// covers the elements [i, i + n). This one does nothing.
struct NoPrefetch {
  HWY_INLINE void operator()(int64_t, int64_t) const {}
};

// Runs store(d, i, compute(d, i)) for all of [0, n), where d is the tag of the vector that starts at i. Four
// vectors are computed before any is stored. Outputs may be inputs, so only this order lets the compiler
// interleave the computations and hide their latencies. Bodies that need too many registers use two vectors.
// Lambdas passed here need HWY_ATTR before the brace.
template <int kVectors = 4, class Compute, class Store, class Prefetcher = NoPrefetch>
HWY_INLINE void sweep(int64_t n, Compute compute, Store store, Prefetcher prefetch = {}) {
  static_assert(kVectors == 2 || kVectors == 4);
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
    prefetch(i, kVectors * lanes);
    const auto v0 = compute(d, i), v1 = compute(d, i + lanes);
    if constexpr (kVectors == 4) {
      const auto v2 = compute(d, i + 2 * lanes), v3 = compute(d, i + 3 * lanes);
      store(d, i + 2 * lanes, v2);
      store(d, i + 3 * lanes, v3);
    }
    store(d, i, v0);
    store(d, i + lanes, v1);
  }
  for (; i + lanes <= n; i += lanes) store(d, i, compute(d, i));
  for (; i < n; ++i) store(one, i, compute(one, i));
}

// The same into one row: y[i] = compute(d, i).
template <int kVectors = 4, class Compute, class Prefetcher = NoPrefetch>
HWY_INLINE void sweep_into(float* y, int64_t n, Compute compute, Prefetcher prefetch = {}) {
  const auto store = [&](auto d, int64_t i, auto v) HWY_ATTR { hn::StoreU(v, d, y + i); };
  sweep<kVectors>(n, compute, store, prefetch);
}

// The sum over [0, n) that body(d, i, sum) computes; body returns `sum` plus the contribution of its
// elements. Four vectors of partial sums hide the latency of an addition. They are added in a fixed order.
template <class Body>
HWY_INLINE float accumulate(int64_t n, Body body) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    sum0 = body(d, i, sum0);
    sum1 = body(d, i + lanes, sum1);
    sum2 = body(d, i + 2 * lanes, sum2);
    sum3 = body(d, i + 3 * lanes, sum3);
  }
  for (; i + lanes <= n; i += lanes) sum0 = body(d, i, sum0);
  auto rest = hn::Zero(one);
  for (; i < n; ++i) rest = body(one, i, rest);
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  return hn::GetLane(hn::SumOfLanes(d, sum)) + hn::GetLane(rest);
}

struct Sums {
  float first, second;
};

// Two such sums in one sweep: body(d, i, first, second) adds to both vectors.
template <class Body, class Prefetcher = NoPrefetch>
HWY_INLINE Sums accumulate_two(int64_t n, Body body, Prefetcher prefetch = {}) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    prefetch(i, 4 * lanes);
    body(d, i, a0, b0);
    body(d, i + lanes, a1, b1);
    body(d, i + 2 * lanes, a2, b2);
    body(d, i + 3 * lanes, a3, b3);
  }
  for (; i + lanes <= n; i += lanes) body(d, i, a0, b0);
  auto a_rest = hn::Zero(one), b_rest = hn::Zero(one);
  for (; i < n; ++i) body(one, i, a_rest, b_rest);
  const auto a = hn::SumOfLanes(d, hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)));
  const auto b = hn::SumOfLanes(d, hn::Add(hn::Add(b0, b1), hn::Add(b2, b3)));
  return {hn::GetLane(a) + hn::GetLane(a_rest), hn::GetLane(b) + hn::GetLane(b_rest)};
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
