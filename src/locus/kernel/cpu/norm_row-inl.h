// Layer norm and RMS norm of one row (kernel/norm.h), forward and backward, per SIMD target.
#if defined(LOCUS_KERNEL_CPU_NORM_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#undef LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#else
#define LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#endif

#include <cmath>

#include "locus/kernel/cpu/partial-inl.h"
#include "locus/kernel/cpu/prefetch.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

struct Moments {
  float mean, rstd;
};

// The mean square of a row around `center`
HWY_INLINE float mean_square(const float* x, int64_t C, float center) {
  return accumulate(C,
                    [&](auto d, int64_t i, auto sum) HWY_ATTR {
                      const auto centered = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, center));
                      return hn::MulAdd(centered, centered, sum);
                    }) /
         static_cast<float>(C);
}

// The moments of the row x, from the sums of its values and of their squares. If the mean is so far from 0
// that mean(x^2) - mean^2 would lose more than a bit or two, a second sweep computes the variance of the
// centered values.
HWY_INLINE Moments moments_of(Sums sums, const float* x, int64_t C, bool rms, float eps) {
  const float square = sums.second / static_cast<float>(C);
  if (rms) return {0, 1 / std::sqrt(square + eps)};
  const float mean = sums.first / static_cast<float>(C);
  float variance = square - mean * mean;
  if (!(mean * mean <= 2 * variance)) variance = mean_square(x, C, mean);
  return {mean, 1 / std::sqrt(variance + eps)};
}

template <class V>
HWY_INLINE void add_value(V value, V& sum, V& square) {
  sum = hn::Add(sum, value);
  square = hn::MulAdd(value, value, square);
}

HWY_INLINE Moments moments(const float* x, int64_t C, bool rms, float eps) {
  const Sums sums = accumulate_two(C, [&](auto d, int64_t i, auto& sum, auto& square)
                                          HWY_ATTR { add_value(hn::LoadU(d, x + i), sum, square); });
  return moments_of(sums, x, C, rms, eps);
}

// y = (x - mean) rstd gamma + beta. beta may be null; y may be the memory of x
template <class Prefetcher = NoPrefetch>
HWY_INLINE void norm_row(const float* x, float* y, int64_t C, Moments of, const float* gamma,
                         const float* beta, Prefetcher prefetch = {}) {
  const auto unit = [&](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, of.mean)), hn::Set(d, of.rstd));
  };
  if (beta) {
    const auto shifted = [&](auto d, int64_t i) HWY_ATTR {
      return hn::MulAdd(unit(d, i), hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i));
    };
    sweep_into(y, C, shifted, prefetch);
  } else {
    const auto scaled = [&](auto d, int64_t i)
                            HWY_ATTR { return hn::Mul(unit(d, i), hn::LoadU(d, gamma + i)); };
    sweep_into(y, C, scaled, prefetch);
  }
}

// One row of the backward pass, with u = (x - mean) rstd and g = dy gamma:
//   dx = rstd (g - mean(g) - u mean(g u)),  dgamma += dy u,  dbeta += dy
// rms has no mean(g). dgamma and dbeta are null if not needed. dx may be the memory of dy.
struct NormBackwardRow {
  const float *x, *gamma, *dy;
  float *dx, *dgamma, *dbeta;
  Moments of;
  int64_t C;
  bool rms;

  template <class D>
  HWY_INLINE auto unit(D d, int64_t i) const {
    return hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, of.mean)), hn::Set(d, of.rstd));
  }
  template <class D>
  HWY_INLINE auto g(D d, int64_t i) const {
    return hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, gamma + i));
  }

  // The sums of g and g u, and in the same sweep the contribution of the row to dgamma and dbeta.
  HWY_INLINE Sums sums() const {
    const auto add = [&](auto d, int64_t i, auto& g_sum, auto& gu_sum) HWY_ATTR {
      const auto slope = hn::LoadU(d, dy + i), u = unit(d, i), scaled = g(d, i);
      g_sum = hn::Add(g_sum, scaled);
      gu_sum = hn::MulAdd(scaled, u, gu_sum);
      if (!dgamma) return;
      hn::StoreU(hn::MulAdd(slope, u, hn::LoadU(d, dgamma + i)), d, dgamma + i);
      hn::StoreU(hn::Add(slope, hn::LoadU(d, dbeta + i)), d, dbeta + i);
    };
    return accumulate_two(C, add, PrefetchWritten{dx});
  }

  HWY_INLINE void run() const {
    const Sums total = sums();
    const float per = 1 / static_cast<float>(C), g_mean = rms ? 0 : per * total.first;
    const float gu_mean = per * total.second;
    sweep_into(dx, C, [&](auto d, int64_t i) HWY_ATTR {
      const auto centered = hn::Sub(g(d, i), hn::Set(d, g_mean));
      const auto projected = hn::NegMulAdd(unit(d, i), hn::Set(d, gu_mean), centered);
      return hn::Mul(projected, hn::Set(d, of.rstd));
    });
  }
};

// Calls backward(n, dgamma, dbeta) for every row n of [N, C] with the partial sums that the row adds to, then
// adds up the partial sums. The partial sums of dgamma are the first rows of the workspace, those of dbeta
// the rows after them.
template <class Backward>
HWY_INLINE void norm_backward_rows(int64_t N, View dgamma, View dbeta, View workspace, Backward backward) {
  const int64_t grain = partial_grain(N), parts = partial_chunks(N);
  const bool wanted = dgamma || dbeta;
  parallel_for(N, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    float* dgamma_part = wanted ? workspace.row<float>(begin / grain) : nullptr;
    float* dbeta_part = wanted ? workspace.row<float>(parts + begin / grain) : nullptr;
    if (wanted) {
      std::fill_n(dgamma_part, workspace.cols, 0.0f);
      std::fill_n(dbeta_part, workspace.cols, 0.0f);
    }
    for (int64_t n = begin; n < end; ++n) backward(n, dgamma_part, dbeta_part);
  });
  if (dgamma) sum_parts(workspace, 0, parts, dgamma);
  if (dbeta) sum_parts(workspace, parts, parts, dbeta);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
