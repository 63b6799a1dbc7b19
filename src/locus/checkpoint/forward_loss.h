// The loss of a forward pass by the rules of transformers.
#pragma once

#include "locus/checkpoint/forward.h"

namespace locus {

// Cross entropy over the labels that are not -100. A decoder alone predicts the label one column ahead; an
// encoder, and a decoder that reads an encoder, the label of the same column. Of one class: the mean squared
// error. An answer: the mean of its start's and its end's. No labels: no loss.
Var forward_loss(const Blueprint& blueprint, const ForwardInputs& inputs, const Var& logits,
                 const Placement& placement);

}  // namespace locus
