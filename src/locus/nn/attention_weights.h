// Attention weights for inspection. Training and inference do not need them.
#pragma once

#include "locus/op/attention.h"

namespace locus {

// The weights of one sequence, [H, queries, keys], for queries and keys after projection and rotation. It
// takes memory of that size on the host, and one run of attention for every D keys.
Tensor attention_weights(const Var& q, const Var& k, const Sequences& sequence, const ScoreTerms& terms,
                         const op::AttentionOptions& options);

}  // namespace locus
