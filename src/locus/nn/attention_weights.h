// The weights attention gives, to be looked at: computing with a model never needs them.
#pragma once

#include "locus/op/attention.h"

namespace locus {

// Of one sequence, for queries and keys as attention gets them: [H, queries, keys]. Memory of that size, and
// the time of attention for every D keys.
Tensor attention_weights(const Var& q, const Var& k, const Sequences& sequence, const ScoreTerms& terms,
                         const op::AttentionOptions& options);

}  // namespace locus
