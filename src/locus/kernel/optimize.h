// One optimizer step on one parameter, in one pass. `scale` multiplies the gradient first, so gradient
// clipping needs no pass of its own.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

// AdamW (Loshchilov, Hutter 2017), g' = scale * g:
//   p *= 1 - rate * decay;  m = b1 m + (1 - b1) g';  v = b2 v + (1 - b2) g'^2
//   p -= rate * (m / (1 - b1^step)) / (sqrt(v / (1 - b2^step)) + eps)
struct AdamWArgs {
  View parameter;
  ConstView gradient;
  View first, second;  // m and v
  float rate = 0, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, decay = 0, scale = 1;
  int64_t step = 1;  // starts at 1
};

}  // namespace locus::kernel
