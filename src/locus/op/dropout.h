// Dropout whose mask is a function of a counter: computed again backward, never stored.
#pragma once

#include "locus/autograd/var.h"
#include "locus/base/random.h"

namespace locus::op {

// Elements are zeroed with probability `rate`, the others divided by 1 - rate. `random` names the place and
// the step: the same one gives the same mask.
Var dropout(const Var& x, float rate, const Random& random);

}  // namespace locus::op
