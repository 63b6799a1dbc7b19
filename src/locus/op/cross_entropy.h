// Cross entropy between logits and target classes.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/loss.h"
#include "locus/tensor/indices.h"

namespace locus::op {

struct CrossEntropyOptions {
  float smoothing = 0;  // label smoothing in [0, 1]: the part of a target that is spread over all classes
  Tensor weights;       // [V], one for each class, in the memory of the host; optional
};

// The mean loss over the rows whose target is not kernel::kIgnoredTarget (-100), weighted by the class
// weights of their targets: a single number, as PyTorch's cross_entropy, f32 if the logits are bf16. logits
// [.., V], targets [..]. If every row is ignored this is an error, not NaN.
Var cross_entropy(const Var& logits, const Indices& targets, const CrossEntropyOptions& options = {});

}  // namespace locus::op
