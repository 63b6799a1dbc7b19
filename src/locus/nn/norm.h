// Layer norm or RMS norm, depending on the blueprint.
#pragma once

#include "locus/nn/blueprint.h"
#include "locus/nn/parameter_factory.h"
#include "locus/op/elementwise.h"
#include "locus/op/norm.h"

namespace locus {

struct Norm {
  Var gamma, beta;  // [width]; beta is absent for RMS norms and for norms without bias
  float eps = 0;
  bool rms = false;
  Var one;  // [width] of ones if the norm scales by 1 + gamma, else absent

  Norm() = default;  // absent: converts to false
  Norm(const Blueprint& blueprint, const ParameterFactory& factory)
      : Norm(blueprint, factory, blueprint.width) {}
  Norm(const Blueprint& blueprint, const ParameterFactory& factory, int64_t width)
      : eps(blueprint.norms.eps), rms(blueprint.norms.kind != NormKind::layer) {
    const bool from_one = blueprint.norms.kind == NormKind::rms_from_one;
    gamma = factory.full("weight", {width}, Role::gain, from_one ? 0 : 1);
    if (from_one) one = Var(factory.scope().constant(Tensor::full({width}, 1)));
    if (!rms && blueprint.norms.bias) beta = factory.full("bias", {width}, Role::bias, 0);
  }

  explicit operator bool() const { return static_cast<bool>(gamma); }
  Var scale() const { return one ? op::add(one, gamma) : gamma; }
  Var operator()(const Var& x) const {
    return rms ? op::rms_norm(x, scale(), eps) : op::layer_norm(x, gamma, beta, eps);
  }
};

}  // namespace locus
