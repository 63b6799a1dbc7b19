#include "locus/op/matmul.h"

#include <utility>

#include "locus/kernel/kernels.h"
#include "locus/op/aligned_rows.h"
#include "locus/op/check.h"
#include "locus/op/column_sum.h"
#include "locus/op/convert.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

// Sizes of one operand of a product, after any transposition.
struct Side {
  int64_t batch, rows, cols;
};

Side side_of(const Tensor& t, bool transposed) {
  const int64_t batch = t.shape().rank() == 3 ? t.size(0) : 1, rows = t.size(-2), cols = t.size(-1);
  return transposed ? Side{batch, cols, rows} : Side{batch, rows, cols};
}

// Packs b in the order in which the kernels read it; absent if they read b as it lies. An empty b is never
// read. A bf16 b is packed as bf16 if it is the weight of a layer (kernel/matmul.h), else as f32.
Tensor pack(const Tensor& b, const Side& side, bool transposed, bool a_transposed) {
  const Kernels& k = kernels(b.device());
  const DType format = transposed && !a_transposed ? b.dtype() : sum_format(b.dtype());
  const int64_t size = k.packed_size(side.rows, side.cols, format);
  if (size == 0) return {};
  const Tensor packed = Tensor::empty({side.batch, size}, format, b.device());
  if (b.numel() > 0) {
    k.pack({.b = b.view(),
            .packed = packed.view(),
            .k = side.rows,
            .n = side.cols,
            .batch = side.batch,
            .transposed = transposed});
  }
  return packed;
}

struct Product {
  bool a_transposed = false, b_transposed = false;
  Tensor bias;
  Activation activation = Activation::none;
};

// Writes the product of a and b to all elements of c.
Tensor product(const Tensor& a, const Tensor& b, const Product& how, Tensor c) {
  if (a.shape().rank() == 2 && a.size(0) <= kernel::kMaxSmallM && !how.a_transposed && how.b_transposed) {
    kernels(a.device())
        .matmul_small_m({.a = a.view(),
                         .b = b.view(),
                         .c = c.view(),
                         .bias = how.bias.view(),
                         .activation = how.activation});
    return c;
  }
  const Side left = side_of(a, how.a_transposed), right = side_of(b, how.b_transposed);
  const Tensor packed = pack(b, right, how.b_transposed, how.a_transposed);
  kernels(a.device())
      .matmul({.a = a.view(),
               .packed = packed.view(),
               .b = packed ? ConstView() : b.view(),
               .c = c.view(),
               .m = left.rows,
               .n = right.cols,
               .k = right.rows,
               .batch = left.batch,
               .a_transposed = how.a_transposed,
               .b_transposed = how.b_transposed,
               .bias = how.bias.view(),
               .activation = how.activation});
  return c;
}

// x as a matrix [rows, cols]. Copies only if x is not contiguous and its rank is not 2.
Tensor matrix(const Tensor& x) {
  const Tensor even = x.contiguous() || x.shape().rank() == 2 ? x : x.clone();
  return even.shape().rank() == 2 ? even : even.reshape({x.shape().rows(), x.shape().cols()});
}

}  // namespace

Var matmul(const Var& a, const Var& b, bool a_transposed, bool b_transposed) {
  Check check("matmul");
  check.rank_at_least("a", a, 2);
  check.rank_at_least("b", b, 2);
  const Shape& left = a.shape();
  const Shape& right = b.shape();
  check.that(left.rank() <= 3 && right.rank() == left.rank(), Code::bad_shape,
             "a has shape {} and b {}, expected both of rank 2 or both of rank 3", left, right);
  const Side x = side_of(a.value(), a_transposed), y = side_of(b.value(), b_transposed);
  check.that(x.batch == y.batch, Code::bad_shape, "a has shape {} and b {}, expected equal first sizes", left,
             right);
  check.that(x.cols == y.rows, Code::bad_shape,
             "a has shape {}{} and b {}{}, expected equal inner sizes: got {} and {}", left,
             a_transposed ? " transposed" : "", right, b_transposed ? " transposed" : "", x.cols, y.rows);
  Tensor c = left.rank() == 3 ? check.result(a.value(), {x.batch, x.rows, y.cols})
                              : check.result(a.value(), {x.rows, y.cols});
  const Product how = {.a_transposed = a_transposed, .b_transposed = b_transposed};
  return record(product(a.value(), b.value(), how, std::move(c)), {a, b}, [=](const Tensor& dy) {
    // c = A B with A = a or a^T, B = b or b^T: dA = dy B^T and dB = A^T dy, transposed like their arguments.
    const Tensor &av = a.value(), &bv = b.value();
    if (a.wants_grad()) {
      Tensor da = av.like(av.shape());
      a.accumulate(a_transposed
                       ? product(bv, dy, {.a_transposed = b_transposed, .b_transposed = true}, std::move(da))
                       : product(dy, bv, {.b_transposed = !b_transposed}, std::move(da)));
    }
    if (b.wants_grad()) {
      Tensor db = bv.like(bv.shape());
      b.accumulate(b_transposed
                       ? product(dy, av, {.a_transposed = true, .b_transposed = a_transposed}, std::move(db))
                       : product(av, dy, {.a_transposed = !a_transposed}, std::move(db)));
    }
  });
}

Var linear(const Var& x, const Var& weight, const Var& bias, Activation activation) {
  Check check("linear");
  check.rank_at_least("x", x, 1);
  check.weight("weight", weight);
  check.that(weight.shape().rank() == 2, Code::bad_shape, "weight has shape {}, expected [out, in]",
             weight.shape());
  const int64_t out = weight.shape()[0], in = weight.shape()[1];
  check.that(x.shape().cols() == in, Code::bad_shape,
             "x has shape {}, expected last size {} (the weight is [{}, {}])", x.shape(), in, out, in);
  if (bias) check.parameter("bias", bias, {out}, "the first size of the weight");
  const Tensor rows = matrix(x.value());
  const bool recorded = recording({x, weight, bias});
  check.that(!recorded || weight.value().dtype() != DType::bf16,
             "weight is bf16, but a gradient is required: bf16 weights cannot be trained, use f32");
  // Both sides of a product with bf16 are rounded to it.
  const bool bf16 = rows.dtype() == DType::bf16;
  const Tensor factor = bf16 ? convert(weight.value(), DType::bf16) : weight.value();
  // The backward pass needs the sum before the activation, so both are fused only if nothing is recorded. In
  // bf16 that sum is rounded, and recording must not change a bit.
  const bool fused = !recorded && !bf16;
  const Product how = {.b_transposed = true,
                       .bias = bias ? bias.value() : Tensor(),
                       .activation = fused ? activation : Activation::none};
  // Wide logits are worth rows that later products read without a copy. Other results stay contiguous.
  const bool aligned = x.shape().rank() == 2 && activation == Activation::none;
  const int64_t room = aligned ? aligned_columns(rows, out) : out;
  const Tensor sum = product(rows, factor, how, check.result(rows, {rows.size(0), room}).columns(0, out));
  Tensor y = sum;
  if (!fused && activation != Activation::none) {
    y = sum.like(sum.shape());
    kernels(y.device()).activation({.activation = activation, .x = sum.view(), .y = y.view()});
  }
  if (!aligned) y = y.reshape(x.shape().with_last(out));
  return record(y, {x, weight, bias}, [=](const Tensor& dy) {
    Tensor g = matrix(dy);
    if (activation != Activation::none) {
      const Tensor through = g.like(g.shape());
      kernels(g.device())
          .activation_backward(
              {.activation = activation, .x = sum.view(), .dy = g.view(), .dx = through.view()});
      g = through;
    }
    if (x.wants_grad()) {
      x.accumulate(product(g, factor, {}, g.like({g.size(0), in})).reshape(x.shape()));
    }
    if (weight.wants_grad()) {
      weight.accumulate(product(g, rows, {.a_transposed = true}, weight.value().like(weight.shape())));
    }
    if (bias.wants_grad()) bias.accumulate(column_sum(g));
  });
}

}  // namespace locus::op
