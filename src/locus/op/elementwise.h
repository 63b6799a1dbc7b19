// Elementwise sums, products and scaling.
#pragma once

#include "locus/autograd/var.h"

namespace locus::op {

Var add(const Var& a, const Var& b);       // equal shapes
Var multiply(const Var& a, const Var& b);  // equal shapes
Var scale(const Var& x, float factor);
Var add_bias(const Var& x, const Var& bias);  // adds bias [C] to every row of x [.., C]

Var sum(const Var& x);   // of all elements, a single number; f32 if x is bf16
Var mean(const Var& x);  // of all elements; x must not be empty

}  // namespace locus::op
