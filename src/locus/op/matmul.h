// Matrix products: the general product, and the linear layer of every model.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/activation.h"

namespace locus::op {

// The product of a [m, k] and b [k, n], of shape [m, n]. If transposed, a is [k, m] and b is [n, k]. If both
// have rank 3, the first axis is a batch of products.
Var matmul(const Var& a, const Var& b, bool a_transposed = false, bool b_transposed = false);

// f(x weight^T + bias) over the last axis: x [.., in], weight [out, in], bias [out] or absent. Result [..,
// out]. The weight may be bf16 for any x: then x is also rounded to bf16, and no gradient flows. If x is
// bf16, so is the result, an f32 weight is rounded to bf16, and its gradient is f32.
Var linear(const Var& x, const Var& weight, const Var& bias = {}, Activation activation = Activation::none);

}  // namespace locus::op
