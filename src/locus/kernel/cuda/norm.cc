#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {

void norm(const NormArgs& args) {
  launch_rows("norm/norm", args.x.rows, args.x.cols,
              NormParams{numbers(args.x), vector(args.gamma), vector(args.beta), numbers(args.y),
                         vector(args.mean), vector(args.rstd), args.eps, args.rms});
}

void norm_backward(const NormBackwardArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols;
  const bool gains = args.dgamma || args.dbeta;
  const NormBackwardParams params = {.x = numbers(args.x),
                                     .gamma = vector(args.gamma),
                                     .mean = vector(args.mean),
                                     .rstd = vector(args.rstd),
                                     .dy = numbers(args.dy),
                                     .dx = numbers(args.dx),
                                     .dgamma = vector(args.dgamma),
                                     .dbeta = vector(args.dbeta),
                                     .parts = gains ? out(args.workspace) : Out(),
                                     .grain = part_grain(N),
                                     .part_count = part_count(N),
                                     .rms = args.rms};
  launch_parts("norm/norm_backward", params.part_count, C, params);
  if (gains) launch("norm/norm_gains", {divided_up(C, 32), 1, 1}, params);
}

}  // namespace locus::kernel::cuda
