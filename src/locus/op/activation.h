// Activations and gated products, element by element.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/activation.h"

namespace locus::op {

Var activate(const Var& x, Activation activation);

// f(gate) * up, both of one shape.
Var gated(const Var& gate, const Var& up, Activation activation);

}  // namespace locus::op
