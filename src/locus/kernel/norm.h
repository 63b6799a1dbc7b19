// Layer norm and RMS norm over the last axis, x [N, C].
//   layer: y = (x - mean) * rstd * gamma + beta,  rstd = 1 / sqrt(variance + eps), the variance divided by C
//   rms:   y = x * rstd * gamma,                  rstd = 1 / sqrt(mean of x^2 + eps)
#pragma once

#include <cstdint>

#include "locus/kernel/partial.h"
#include "locus/tensor/view.h"

namespace locus::kernel {

// RMS norm is the layer norm with no mean and no beta: one set of arguments serves both.
struct NormArgs {
  ConstView x;            // [N, C]
  ConstView gamma, beta;  // [C] each; beta absent for none (always for rms)
  View y;                 // [N, C]
  View mean, rstd;        // [N] each, kept for the backward pass; absent when it is not wanted. rms: no mean
  float eps = 0;
  bool rms = false;
};

struct NormBackwardArgs {
  ConstView x, gamma;    // as forward
  ConstView mean, rstd;  // as forward wrote them
  ConstView dy;          // [N, C]
  View dx;               // [N, C]
  View dgamma, dbeta;    // [C]; absent when not wanted; overwritten
  View workspace;        // [2 * partial_chunks(N), C], needed when dgamma or dbeta is there
  bool rms = false;
};

}  // namespace locus::kernel
