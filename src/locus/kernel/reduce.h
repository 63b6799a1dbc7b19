// Sums of all elements, as numbers on the device: the host need not wait for them.
#pragma once

#include "locus/tensor/view.h"

namespace locus::kernel {

// sum:           out = sum of x / divisor
// squared_norm:  out = sum of x^2 / divisor
struct SumArgs {
  ConstView x;
  View out;  // one element, of the dtype of x or f64
  double divisor = 1;
};

// out = x / divisor in every element, the gradient of a sum
struct SpreadArgs {
  ConstView x;  // one element
  View out;
  double divisor = 1;
};

}  // namespace locus::kernel
