// One layer: attention, in a decoder that reads an encoder attention across, and feed-forward, each added to
// what went in.
#pragma once

#include <optional>

#include "locus/nn/attention.h"
#include "locus/nn/feed_forward.h"
#include "locus/nn/norm.h"

namespace locus {

class Layer {
 public:
  // Places of random numbers: up to eight of each layer, from `place` on.
  Layer(const Blueprint& blueprint, const ParameterFactory& factory, int64_t index, bool reads_text,
        uint64_t place);

  Var operator()(const Var& x, const StackPass& pass) const;  // [N, C]: [N, C]
  LayerView view() const { return attention_.view(); }

 private:
  Var parallel(const Var& x, const StackPass& pass) const;
  // What a part adds to the residual, of what it gives.
  Var share(const Var& x, const ForwardPass& pass, uint64_t place) const;

  Residual residual_;
  NormPlace norm_place_;
  float residual_scale_, dropout_;
  uint64_t place_;
  Attention attention_;
  Norm attention_norm_;
  std::optional<Attention> across_;
  Norm across_norm_;
  FeedForward feed_forward_;
  Norm feed_forward_norm_;  // none when the parallel parts share attention's
  Norm attention_out_norm_, across_out_norm_, feed_forward_out_norm_;  // of what is added, where there are
};

}  // namespace locus
