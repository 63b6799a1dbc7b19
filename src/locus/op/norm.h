// Layer norm and RMS norm over the last axis.
#pragma once

#include "locus/autograd/var.h"

namespace locus::op {

// (x - mean) / sqrt(variance + eps) * gamma + beta; x [.., C], gamma and beta [C]. beta is optional.
Var layer_norm(const Var& x, const Var& gamma, const Var& beta, float eps);

// x / sqrt(mean of x^2 + eps) * gamma; x [.., C], gamma [C].
Var rms_norm(const Var& x, const Var& gamma, float eps);

}  // namespace locus::op
