// The loss of a forward pass, by the rules of transformers.
#pragma once

#include "locus/checkpoint/forward.h"

namespace locus {

// Cross entropy over the labels that are not -100. A decoder-only model predicts the label of the next
// column; an encoder and an encoder-decoder predict the label of the same column. With a single class the
// loss is the mean squared error. For answers it is the mean of the losses of start and end. Without labels
// there is no loss.
Var forward_loss(const Blueprint& blueprint, const ForwardInputs& inputs, const Var& logits,
                 const Placement& placement);

}  // namespace locus
