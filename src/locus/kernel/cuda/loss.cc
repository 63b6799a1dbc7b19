#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {

void cross_entropy(const CrossEntropyArgs& args) {
  launch("loss/cross_entropy", {args.logits.rows, 1, 1},
         CrossEntropyParams{numbers(args.logits), integers(args.targets), vector(args.weights),
                            vector(args.loss), vector(args.lse), args.smoothing});
}

void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  launch("loss/cross_entropy_backward", {args.logits.rows, 1, 1},
         CrossEntropyBackwardParams{numbers(args.logits), integers(args.targets), vector(args.weights),
                                    vector(args.lse), vector(args.dloss), args.divisor, numbers(args.dlogits),
                                    args.smoothing});
}

}  // namespace locus::kernel::cuda
