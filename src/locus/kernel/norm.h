// Layer norm and RMS norm over the last axis, x [N, C].
//   layer: y = (x - mean) * rstd * gamma + beta,  rstd = 1 / sqrt(variance + eps), biased variance (over C)
//   rms:   y = x * rstd * gamma,                  rstd = 1 / sqrt(mean of x^2 + eps)
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

// RMS norm is layer norm without mean and beta, so both share one struct.
struct NormArgs {
  ConstView x;            // [N, C]
  ConstView gamma, beta;  // [C] each; beta absent: no shift (always for rms)
  View y;                 // [N, C]
  View mean, rstd;        // [N] each, for the backward pass; absent if not needed. rms has no mean
  float eps = 0;
  bool rms = false;
};

struct NormBackwardArgs {
  ConstView x, gamma;    // same as in the forward pass
  ConstView mean, rstd;  // results of the forward pass
  ConstView dy;          // [N, C]
  View dx;               // [N, C]
  View dgamma, dbeta;    // [C]; absent if not needed; overwritten
  View workspace;        // [2 * partial_rows(N), C]; needed for dgamma or dbeta
  bool rms = false;
};

}  // namespace locus::kernel
