// Dropout with a counter-based mask, which the backward pass computes again instead of storing it.
#pragma once

#include "locus/autograd/var.h"
#include "locus/base/random.h"

namespace locus::op {

// Sets elements to zero with probability `rate` and divides the others by 1 - rate. Equal `random` gives
// equal masks, so it must differ between layers and training steps.
Var dropout(const Var& x, float rate, const Random& random);

}  // namespace locus::op
