// One transformer layer: self-attention, cross-attention in the decoder of an encoder-decoder, and
// feed-forward, each with a residual connection.
#pragma once

#include <optional>

#include "locus/nn/attention.h"
#include "locus/nn/feed_forward.h"
#include "locus/nn/norm.h"

namespace locus {

class Layer {
 public:
  // `place` is the first of up to eight places of random numbers, see ForwardPass::random().
  Layer(const Blueprint& blueprint, const ParameterFactory& factory, int64_t index, bool cross_attention,
        uint64_t place);

  Var operator()(const Var& x, const StackPass& pass) const;  // [N, C] to [N, C]
  LayerView view() const { return attention_.view(); }

 private:
  Var parallel(const Var& x, const StackPass& pass) const;
  // The output of a sublayer after dropout and scaling, as it is added to the residual stream.
  Var residual_term(const Var& x, const ForwardPass& pass, uint64_t place) const;

  Residual residual_;
  NormPlace norm_place_;
  float residual_scale_, dropout_;
  uint64_t place_;
  Attention attention_;
  Norm attention_norm_;
  // In parameter names this is "across": initial values depend on the names, so they must not change.
  std::optional<Attention> cross_attention_;
  Norm cross_attention_norm_;
  FeedForward feed_forward_;
  Norm feed_forward_norm_;  // absent if both parallel sublayers share attention_norm_
  Norm attention_out_norm_, cross_attention_out_norm_, feed_forward_out_norm_;  // norms of outputs, or absent
};

}  // namespace locus
