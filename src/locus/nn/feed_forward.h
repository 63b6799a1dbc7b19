// The feed-forward network of a layer: down(f(up(x))), or gated: down(f(gate(x)) * up(x)).
#pragma once

#include "locus/nn/blueprint.h"
#include "locus/nn/linear.h"
#include "locus/op/activation.h"

namespace locus {

class FeedForward {
 public:
  FeedForward(const Blueprint& b, const ParameterFactory& factory)
      : up_(factory / "up", b.width, b.hidden_width(), b.feed_forward.bias),
        down_(factory / "down", b.hidden_width(), b.width, b.feed_forward.bias, b.residual_init_scale()),
        activation_(b.feed_forward.activation) {
    if (b.feed_forward.gated)
      gate_ = Linear(factory / "gate", b.width, b.hidden_width(), b.feed_forward.bias);
  }

  Var operator()(const Var& x) const {
    return down_(gate_ ? op::gated(gate_(x), up_(x), activation_) : up_(x, activation_));
  }

 private:
  Linear up_, down_, gate_;
  Activation activation_;
};

}  // namespace locus
