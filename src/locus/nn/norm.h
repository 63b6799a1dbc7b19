// Layer norm or RMS norm, as the blueprint says.
#pragma once

#include "locus/nn/blueprint.h"
#include "locus/nn/parameter_factory.h"
#include "locus/op/elementwise.h"
#include "locus/op/norm.h"

namespace locus {

struct Norm {
  Var gamma, beta;  // [width]; no beta for RMS norm, nor where norms have no biases
  float eps = 0;
  bool rms = false;
  Var one;  // [width], what gamma is added to, if to anything

  Norm() = default;  // no norm at all: false in a condition
  Norm(const Blueprint& blueprint, const ParameterFactory& factory)
      : Norm(blueprint, factory, blueprint.width) {}
  Norm(const Blueprint& blueprint, const ParameterFactory& factory, int64_t width)
      : eps(blueprint.norm_eps), rms(blueprint.norm != NormKind::layer) {
    const bool from_one = blueprint.norm == NormKind::rms_from_one;
    gamma = factory.full("weight", {width}, from_one ? 0 : 1);
    if (from_one) one = Var(factory.scope().constant(Tensor::full({width}, 1)));
    if (!rms && blueprint.norm_bias) beta = factory.full("bias", {width}, 0);
  }

  explicit operator bool() const { return static_cast<bool>(gamma); }
  Var scale() const { return one ? op::add(one, gamma) : gamma; }
  Var operator()(const Var& x) const {
    return rms ? op::rms_norm(x, scale(), eps) : op::layer_norm(x, gamma, beta, eps);
  }
};

}  // namespace locus
