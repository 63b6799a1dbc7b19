// Layer norm or RMS norm, as the blueprint says.
#pragma once

#include "locus/nn/blueprint.h"
#include "locus/nn/site.h"
#include "locus/op/norm.h"

namespace locus {

struct Norm {
  Var gamma, beta;  // [width]; no beta for RMS norm, nor where norms have no biases
  float eps = 0;
  bool rms = false;

  Norm() = default;  // no norm at all: false in a condition
  Norm(const Blueprint& blueprint, const Site& site) : Norm(blueprint, site, blueprint.width) {}
  Norm(const Blueprint& blueprint, const Site& site, int64_t width)
      : gamma(site.full("weight", {width}, 1)),
        eps(blueprint.norm_eps),
        rms(blueprint.norm == NormKind::rms) {
    if (!rms && blueprint.norm_bias) beta = site.full("bias", {width}, 0);
  }

  explicit operator bool() const { return static_cast<bool>(gamma); }
  Var operator()(const Var& x) const {
    return rms ? op::rms_norm(x, gamma, eps) : op::layer_norm(x, gamma, beta, eps);
  }
};

}  // namespace locus
