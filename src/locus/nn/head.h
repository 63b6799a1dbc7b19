// The output head on top of the hidden states: logits of tokens, labels or answer positions, or one vector
// per sequence.
#pragma once

#include "locus/nn/blueprint.h"
#include "locus/nn/forward_pass.h"
#include "locus/nn/linear.h"
#include "locus/nn/norm.h"

namespace locus {

class Head {
 public:
  // `tokens` [V, K] is the table of token embeddings, used by a tied head.
  Head(const Blueprint& blueprint, const ParameterFactory& factory, const Var& tokens);

  // hidden [N, C] has one row per query of the placement. Output by kind of head:
  //   none [N, C]; next_token, masked_token [N, V]; token_class [N, labels]; answer [N, 2];
  //   sequence_class [B, labels]; embedding [B, C]
  Var operator()(const Var& hidden, const Placement& placement, const ForwardPass& pass = {}) const;

 private:
  Var transformed(const Var& x) const;
  Var pooled(const Var& hidden, const Placement& placement) const;

  HeadKind kind_;
  Pooling pooling_;
  Activation activation_, pooler_activation_;
  bool normalize_;
  float scale_, cap_, dropout_;
  Linear dense_;  // before the logits
  Norm dense_norm_;
  Linear pooler_;
  Linear out_;
  Var ones_;  // gamma with which an RMS norm divides by the vector's length
};

}  // namespace locus
