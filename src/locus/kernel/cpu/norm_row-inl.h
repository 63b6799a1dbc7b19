// The norms of one row (kernel/norm.h), forward and backward, per SIMD target.
#if defined(LOCUS_KERNEL_CPU_NORM_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#undef LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#else
#define LOCUS_KERNEL_CPU_NORM_ROW_INL_H_
#endif

#include <cmath>

#include "locus/kernel/cpu/partial-inl.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

struct Moments {
  float mean, rstd;
};

// The variance is taken of centred values: no cancellation however far the mean lies from 0.
HWY_INLINE Moments moments(const float* x, int64_t C, bool rms, float eps) {
  float mean = 0;
  if (!rms) {
    mean = accumulate(
        C, [&](auto d, int64_t i, auto sum) HWY_ATTR { return hn::Add(sum, hn::LoadU(d, x + i)); });
    mean /= static_cast<float>(C);
  }
  const float square = accumulate(C, [&](auto d, int64_t i, auto sum) HWY_ATTR {
    const auto centred = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
    return hn::MulAdd(centred, centred, sum);
  });
  return {mean, 1 / std::sqrt(square / static_cast<float>(C) + eps)};
}

// y = (x - mean) rstd gamma + beta; beta may be null, y may be x
HWY_INLINE void norm_row(const float* x, float* y, int64_t C, Moments of, const float* gamma,
                         const float* beta) {
  const auto unit = [&](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, of.mean)), hn::Set(d, of.rstd));
  };
  if (beta) {
    sweep_into(y, C, [&](auto d, int64_t i) HWY_ATTR {
      return hn::MulAdd(unit(d, i), hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i));
    });
  } else {
    sweep_into(y, C,
               [&](auto d, int64_t i) HWY_ATTR { return hn::Mul(unit(d, i), hn::LoadU(d, gamma + i)); });
  }
}

// One row of the backward pass, with u = (x - mean) rstd and g = dy gamma:
//   dx = rstd (g - mean(g) - u mean(g u)),  dgamma += dy u,  dbeta += dy
// mean(g) is absent for rms; dgamma and dbeta are null when not wanted. dx may be dy.
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

  HWY_INLINE void run() const {
    const float per = 1 / static_cast<float>(C);
    const float g_mean = rms ? 0 : per * accumulate(C, [&](auto d, int64_t i, auto sum) HWY_ATTR {
                                     return hn::Add(sum, g(d, i));
                                   });
    const float gu_mean = per * accumulate(C, [&](auto d, int64_t i, auto sum)
                                                  HWY_ATTR { return hn::MulAdd(g(d, i), unit(d, i), sum); });
    if (dgamma) {
      sweep_into(dgamma, C, [&](auto d, int64_t i) HWY_ATTR {
        return hn::MulAdd(hn::LoadU(d, dy + i), unit(d, i), hn::LoadU(d, dgamma + i));
      });
      add_row(dbeta, dy, C);
    }
    sweep_into(dx, C, [&](auto d, int64_t i) HWY_ATTR {
      const auto centred = hn::Sub(g(d, i), hn::Set(d, g_mean));
      const auto projected = hn::NegMulAdd(unit(d, i), hn::Set(d, gu_mean), centred);
      return hn::Mul(projected, hn::Set(d, of.rstd));
    });
  }
};

// Calls backward(n, dgamma, dbeta) for every row n of [N, C], with the parts of the sums its row belongs to,
// and adds up the parts. Parts of dgamma are the first rows of the workspace, parts of dbeta the ones behind
// them.
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
  if (dgamma) join_parts(workspace, 0, parts, dgamma);
  if (dbeta) join_parts(workspace, parts, parts, dbeta);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
