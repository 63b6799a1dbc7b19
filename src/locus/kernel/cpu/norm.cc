#include "locus/kernel/norm.h"

#include <cmath>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

// The row is read from memory once: the later sweeps find it in the first-level cache.
void norm_kernel(const NormArgs& args) {
  const int64_t C = args.x.cols;
  const float* gamma = args.gamma.row<float>(0);
  const float* beta = args.beta ? args.beta.row<float>(0) : nullptr;
  const int64_t grain = HWY_MAX(int64_t{1}, kPieceSize / HWY_MAX(int64_t{1}, C));
  parallel_for(args.x.rows, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t n = begin; n < end; ++n) {
      const float* x = args.x.row<float>(n);
      float* y = args.y.row<float>(n);
      const Moments of = moments(x, C, args.rms, args.eps);
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
      if (args.mean) args.mean.row<float>(0)[n] = of.mean;
      if (args.rstd) args.rstd.row<float>(0)[n] = of.rstd;
    }
  });
}

// One row of the backward pass, with u = (x - mean) rstd and g = dy gamma:
//   dx = rstd (g - mean(g) - u mean(g u)),  dgamma += dy u,  dbeta += dy
// mean(g) is absent for rms; dgamma and dbeta are null when not wanted.
struct BackwardRow {
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

// Parts of dgamma are the first rows of the workspace, parts of dbeta the others.
void norm_backward_kernel(const NormBackwardArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols, grain = partial_grain(N), parts = partial_chunks(N);
  const bool wanted = args.dgamma || args.dbeta;
  parallel_for(N, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    float* dgamma = wanted ? args.workspace.row<float>(begin / grain) : nullptr;
    float* dbeta = wanted ? args.workspace.row<float>(parts + begin / grain) : nullptr;
    if (wanted) {
      std::fill_n(dgamma, C, 0.0f);
      std::fill_n(dbeta, C, 0.0f);
    }
    for (int64_t n = begin; n < end; ++n) {
      const float mean = args.rms ? 0 : args.mean.row<float>(0)[n];
      BackwardRow{args.x.row<float>(n),
                  args.gamma.row<float>(0),
                  args.dy.row<float>(n),
                  args.dx.row<float>(n),
                  dgamma,
                  dbeta,
                  {mean, args.rstd.row<float>(0)[n]},
                  C,
                  args.rms}
          .run();
    }
  });
  if (args.dgamma) join_parts(args.workspace, 0, parts, args.dgamma);
  if (args.dbeta) join_parts(args.workspace, parts, parts, args.dbeta);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(norm_kernel);
HWY_EXPORT(norm_backward_kernel);

void norm(const NormArgs& args) { HWY_DYNAMIC_DISPATCH(norm_kernel)(args); }
void norm_backward(const NormBackwardArgs& args) { HWY_DYNAMIC_DISPATCH(norm_backward_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
