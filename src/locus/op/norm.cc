#include "locus/op/norm.h"

#include <cmath>

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

Var norm(Check check, const Var& x, const Var& gamma, const Var& beta, float eps, bool rms) {
  check.rank_at_least("x", x, 1);
  const int64_t C = x.shape().cols(), N = x.shape().rows();
  check.that(C > 0, Code::bad_shape, "x has shape {}, expected at least one column", x.shape());
  check.parameter("gamma", gamma, {C}, "the last size of x");
  if (beta) check.parameter("beta", beta, {C}, "the last size of x");
  check.that(std::isfinite(eps) && eps >= 0, "eps is {}, expected a finite number, 0 or more", eps);

  const bool recorded = recording({x, gamma, beta});
  const Tensor y = x.value().like(x.shape());
  const Tensor mean = recorded && !rms ? sums_like(y, {N}) : Tensor(),
               rstd = recorded ? sums_like(y, {N}) : Tensor();
  kernels(y.device())
      .norm({.x = x.value().view(),
             .gamma = gamma.value().view(),
             .beta = beta ? beta.value().view() : View(),
             .y = y.view(),
             .mean = mean.view(),
             .rstd = rstd.view(),
             .eps = eps,
             .rms = rms});
  return record(y, {x, gamma, beta}, [=](const Tensor& dy) {
    const Tensor dx = dy.like(dy.shape());
    const Tensor dgamma = gamma.wants_grad() ? sums_like(dy, {C}) : Tensor(),
                 dbeta = beta.wants_grad() ? sums_like(dy, {C}) : Tensor();
    const Tensor workspace = sums_like(dy, {2 * kernels(dy.device()).partial_rows(N), C});
    kernels(dy.device())
        .norm_backward({.x = x.value().view(),
                        .gamma = gamma.value().view(),
                        .mean = mean.view(),
                        .rstd = rstd.view(),
                        .dy = dy.view(),
                        .dx = dx.view(),
                        .dgamma = dgamma.view(),
                        .dbeta = dbeta.view(),
                        .workspace = workspace.view(),
                        .rms = rms});
    x.accumulate(dx);
    if (dgamma) gamma.accumulate(dgamma);
    if (dbeta) beta.accumulate(dbeta);
  });
}

}  // namespace

Var layer_norm(const Var& x, const Var& gamma, const Var& beta, float eps) {
  return norm(Check("layer_norm"), x, gamma, beta, eps, false);
}

Var rms_norm(const Var& x, const Var& gamma, float eps) {
  return norm(Check("rms_norm"), x, gamma, {}, eps, true);
}

}  // namespace locus::op
