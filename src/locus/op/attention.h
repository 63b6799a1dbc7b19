// Attention over packed sequences with any score terms; see kernel/attention.h for the formula.
#pragma once

#include "locus/base/random.h"
#include "locus/op/key_room.h"
#include "locus/op/terms.h"

namespace locus::op {

struct AttentionOptions {
  int64_t heads = 1;
  int64_t key_heads = 0;  // 0: the same as heads
  float scale = 0;        // 0: 1/sqrt(head size); ScoreTerms::scale overrides both
  float cap = 0;          // soft cap c of the scores: c tanh(score / c); 0: none
  bool causal = false;
  int64_t window = 0;  // 0: none
  float dropout = 0;
  Random random{0, 0};  // for dropout
};

// q [Nq, H*D], k and v [Nk, G*D]. Result [Nq, H*D].
Var attention(const Var& q, const Var& k, const Var& v, const Sequences& sequences, const ScoreTerms& terms,
              const AttentionOptions& options);

// The same with the keys and values of a KV cache: a room for each sequence, with at least the keys that
// `sequences` has. Nothing is recorded for gradients.
Var attention(const Var& q, std::span<const KeyRoom> rooms, const Sequences& sequences,
              const ScoreTerms& terms, const AttentionOptions& options);

}  // namespace locus::op
