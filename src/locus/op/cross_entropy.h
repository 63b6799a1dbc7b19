// Cross entropy between logits and target classes.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/loss.h"

namespace locus::op {

struct CrossEntropyOptions {
  float smoothing = 0;  // in [0, 1]: how much of the target is spread evenly over all classes
  Tensor weights;       // [V], one per class, or absent
};

// The mean loss of the rows whose target is not kernel::kIgnoredTarget (-100), weighted by their targets'
// weights: a single number, as PyTorch's cross_entropy. logits [.., V], targets i32 [..]. No row to count is
// an error, not NaN.
Var cross_entropy(const Var& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

}  // namespace locus::op
