// Elementwise activations and gated products.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/activation.h"

namespace locus::op {

Var activate(const Var& x, Activation activation);

// f(gate) * up. Both have the same shape.
Var gated(const Var& gate, const Var& up, Activation activation);

}  // namespace locus::op
