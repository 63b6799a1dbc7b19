// Attention of a layer: to its own text under the scheme's terms, or across to another text under none.
#pragma once

#include <optional>

#include "locus/nn/blueprint.h"
#include "locus/nn/cache.h"
#include "locus/nn/forward_pass.h"
#include "locus/nn/linear.h"
#include "locus/nn/norm.h"
#include "locus/op/attention.h"

namespace locus {

// A scheme, and what it gives in one pass.
struct SchemePass {
  const Scheme& scheme;
  Terms terms;
};

// What all layers of a stack share in one pass. It holds what it needs: layers that are computed again run
// backward, when the caller's pass and texts are gone.
struct StackPass {
  ForwardPass pass;
  Placement placement;
  SchemePass positions, full_positions;  // the second of layers that see all keys where others do not
  std::optional<Memory> memory;          // of a decoder that reads a text
};

class Attention {
 public:
  // `place` numbers the layer's random numbers, see ForwardPass.
  Attention(const Blueprint& blueprint, const ParameterFactory& factory, int64_t layer, uint64_t place);

  Var operator()(const Var& x, const StackPass& pass) const;  // [N, C]: [N, C]
  Var across(const Var& x, const StackPass& pass) const;
  LayerView view() const;  // what it offers a scheme

 private:
  struct Projected {
    Var q, k, v;
  };
  Projected project(const Var& x) const;
  Var normed(const Norm& norm, const Var& x) const;  // head by head, or over all at once
  op::AttentionOptions options(const ForwardPass& pass, bool causal, int64_t window) const;

  int64_t layer_, heads_, key_heads_, head_size_;
  bool causal_, full_;
  int64_t window_;
  float scale_, cap_, dropout_;
  uint64_t place_;
  Linear qkv_;                  // fused, or
  Linear query_, key_, value_;  // each of its own
  Linear out_;
  Norm query_norm_, key_norm_;
};

}  // namespace locus
