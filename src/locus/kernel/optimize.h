// One optimizer step on all parameters of a list, in one pass over each. `scale` multiplies the gradients
// first, so gradient clipping needs no pass of its own.
#pragma once

#include <cstdint>
#include <span>

#include "locus/tensor/view.h"

namespace locus::kernel {

struct AdamWParameter {
  View parameter;
  ConstView gradient;
  View first, second;  // m and v
  float decay = 0;
  int64_t step = 1;  // starts at 1
};

// AdamW (Loshchilov, Hutter 2017), g' = scale * g:
//   p *= 1 - rate * decay;  m = b1 m + (1 - b1) g';  v = b2 v + (1 - b2) g'^2
//   p -= rate * (m / (1 - b1^step)) / (sqrt(v / (1 - b2^step)) + eps)
struct AdamWArgs {
  std::span<const AdamWParameter> list;
  float rate = 0, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, scale = 1;
};

}  // namespace locus::kernel
