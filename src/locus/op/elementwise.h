// Sums, products and scalings, element by element.
#pragma once

#include "locus/autograd/var.h"

namespace locus::op {

Var add(const Var& a, const Var& b);       // of one shape
Var multiply(const Var& a, const Var& b);  // of one shape
Var scale(const Var& x, float factor);
Var add_bias(const Var& x, const Var& bias);  // x [.., C] plus bias [C] on every row

Var sum(const Var& x);   // of all elements, a single number
Var mean(const Var& x);  // of all elements; at least one

}  // namespace locus::op
