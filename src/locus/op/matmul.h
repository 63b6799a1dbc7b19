// Matrix products: the general one, and the linear layer of every model.
#pragma once

#include "locus/autograd/var.h"
#include "locus/kernel/activation.h"

namespace locus::op {

// The right side b of a product may be bf16 in place of what a is: then a is rounded to bf16 too, and no
// gradient flows. Such a b is transposed, [n, k].

// The right side of a product in the order the device reads it: made once for a weight that is used often.
struct PackedMatrix {
  Tensor data;  // [batch, packed size]
  int64_t k = 0, n = 0;
};

// b [k, n], or [n, k] when transposed; with a first axis in front, a batch of such.
PackedMatrix pack(const Tensor& b, bool transposed = false);

// a b, with a [m, k] and b [k, n]: [m, n]. Transposed, a is [k, m] and b is [n, k]. With a first axis in
// front of both, a batch of products.
Var matmul(const Var& a, const Var& b, bool a_transposed = false, bool b_transposed = false);

// f(x weight^T + bias) over the last axis of x: x [.., in], weight [out, in], bias [out] or absent: [..,
// out]. The weight may be bf16.
Var linear(const Var& x, const Var& weight, const Var& bias = {}, Activation activation = Activation::none);

// The same with a weight packed beforehand (pack(weight, true)); no gradient flows.
Tensor linear(const Tensor& x, const PackedMatrix& weight, const Tensor& bias = {},
              Activation activation = Activation::none);

}  // namespace locus::op
