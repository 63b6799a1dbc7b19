// Matrix products: the general one, and the linear layer of every model.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/activation.h"

namespace locus::op {

// a b, with a [m, k] and b [k, n]: [m, n]. Transposed, a is [k, m] and b is [n, k]. With a first axis in
// front of both, a batch of products.
Var matmul(const Var& a, const Var& b, bool a_transposed = false, bool b_transposed = false);

// f(x weight^T + bias) over the last axis of x: x [.., in], weight [out, in], bias [out] or absent: a result
// [.., out]. The weight may be bf16 in place of what x is: then x is rounded to bf16 too, and no gradient
// flows.
Var linear(const Var& x, const Var& weight, const Var& bias = {}, Activation activation = Activation::none);

}  // namespace locus::op
