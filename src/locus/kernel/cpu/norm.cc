#include "locus/kernel/norm.h"

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/norm_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Each row is read from memory once; the later sweeps find it in the L1 cache.
void norm_kernel(const NormArgs& args) {
  const int64_t C = args.x.cols;
  const float* gamma = args.gamma.row<float>(0);
  const float* beta = args.beta ? args.beta.row<float>(0) : nullptr;
  parallel_for(args.x.rows, row_grain(C), [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t n = begin; n < end; ++n) {
      const float* x = args.x.row<float>(n);
      const Moments of = moments(x, C, args.rms, args.eps);
      norm_row(x, args.y.row<float>(n), C, of, gamma, beta);
      if (args.mean) args.mean.row<float>(0)[n] = of.mean;
      if (args.rstd) args.rstd.row<float>(0)[n] = of.rstd;
    }
  });
}

void norm_backward_kernel(const NormBackwardArgs& args) {
  norm_backward_rows(
      args.x.rows, args.dgamma, args.dbeta, args.workspace,
      [&](int64_t n, float* dgamma, float* dbeta) HWY_ATTR {
        const Moments of = {args.rms ? 0 : args.mean.row<float>(0)[n], args.rstd.row<float>(0)[n]};
        NormBackwardRow{.x = args.x.row<float>(n),
                        .gamma = args.gamma.row<float>(0),
                        .dy = args.dy.row<float>(n),
                        .dx = args.dx.row<float>(n),
                        .dgamma = dgamma,
                        .dbeta = dbeta,
                        .of = of,
                        .C = args.x.cols,
                        .rms = args.rms}
            .run();
      });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(norm_kernel);
LOCUS_EXPORT(norm_backward_kernel);

void norm(const NormArgs& args) { LOCUS_DISPATCH(norm_kernel)(args); }
void norm_backward(const NormBackwardArgs& args) { LOCUS_DISPATCH(norm_backward_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
