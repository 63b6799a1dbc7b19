// Loops over a row of floats, per SIMD target. A body is written once, for any vector size: it is called with
// full vectors and then, for what is left, with vectors of one lane. Both do the same operations, so an
// element's result does not depend on where in the row it stands.
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

// Calls body(d, i) for all of [0, n): d is the tag of the vector that starts at i. A lambda passed here needs
// HWY_ATTR before its brace.
template <class Body>
HWY_INLINE void sweep(int64_t n, Body body) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(d, i);
  for (; i < n; ++i) body(hn::CappedTag<float, 1>(), i);
}

// The sum over [0, n) that body(d, i, sum) builds: it returns `sum` with its elements' share added. Four
// vectors of partial sums hide the latency of an addition; they are joined in a fixed order.
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

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
