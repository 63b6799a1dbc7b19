// The attention of a layer: self-attention with the terms of a scheme, or cross-attention to another text
// without a scheme.
#pragma once

#include <optional>

#include "locus/nn/blueprint.h"
#include "locus/nn/cache.h"
#include "locus/nn/forward_pass.h"
#include "locus/nn/linear.h"
#include "locus/nn/norm.h"
#include "locus/op/attention.h"

namespace locus {

// What all layers of a stack share in one forward pass. It owns copies, because with gradient checkpointing
// the layers run again during backward(), when the caller's pass and texts may no longer exist.
struct StackPass {
  ForwardPass pass;
  Placement placement;
  std::optional<Placement> cross;          // with the encoder's tokens as keys, for cross-attention
  SchemePass positions, global_positions;  // the second is for global-attention layers
  std::optional<Memory> memory;            // the encoder's output, for a decoder with cross-attention
};

class Attention {
 public:
  // `place` identifies the random numbers of the layer, see ForwardPass::random().
  Attention(const Blueprint& blueprint, const ParameterFactory& factory, int64_t layer, uint64_t place);

  Var operator()(const Var& x, const StackPass& pass) const;       // self-attention, [N, C] to [N, C]
  Var cross_attention(const Var& x, const StackPass& pass) const;  // to pass.memory, [N, C] to [N, C]
  LayerView view() const;

 private:
  struct Projected {
    Var q, k, v;
  };
  Projected project(const Var& x) const;
  Var normed(const Norm& norm, const Var& x) const;  // per head, or over all heads together
  op::AttentionOptions options(const ForwardPass& pass, bool causal, int64_t window) const;

  int64_t layer_, heads_, key_heads_, head_size_;
  bool causal_, global_;
  int64_t window_;
  float scale_, cap_, dropout_;
  uint64_t place_;
  Linear qkv_;                  // one fused matrix,
  Linear query_, key_, value_;  // or three separate ones
  Linear out_;
  Norm query_norm_, key_norm_;
};

}  // namespace locus
