#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {

void norm(const NormArgs& args) {
  launch("rows/norm", {args.x.rows, 1, 1},
         NormParams{in(args.x), vector(args.gamma), vector(args.beta), out(args.y), vector(args.mean),
                    vector(args.rstd), args.eps, args.rms});
}

void norm_backward(const NormBackwardArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols;
  const NormBackwardParams params = {.x = in(args.x),
                                     .gamma = vector(args.gamma),
                                     .mean = vector(args.mean),
                                     .rstd = vector(args.rstd),
                                     .dy = in(args.dy),
                                     .dx = out(args.dx),
                                     .dgamma = vector(args.dgamma),
                                     .dbeta = vector(args.dbeta),
                                     .parts = out(args.workspace),
                                     .grain = part_grain(N),
                                     .part_count = part_count(N),
                                     .rms = args.rms};
  if (args.dgamma || args.dbeta) {
    launch("rows/norm_gain_parts", {divided_up(C, kThreads), params.part_count, 1}, params);
    launch_elements("rows/norm_gains", C, params);
  }
  launch("rows/norm_backward", {N, 1, 1}, params);
}

}  // namespace locus::kernel::cuda
