#include "locus/op/elementwise.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/column_sum.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

Tensor scaled(const Tensor& x, float factor) {
  const Tensor out = x.like(x.shape());
  kernels(x.device()).scale({.x = x.view(), .out = out.view(), .factor = factor});
  return out;
}

Tensor multiplied(const Tensor& a, const Tensor& b) {
  const Tensor out = a.like(a.shape());
  kernels(a.device()).multiply({.a = a.view(), .b = b.view(), .out = out.view()});
  return out;
}

// The sum of x's elements / divisor.
Var divided_sum(const Var& x, double divisor) {
  const Tensor total = sums_like(x.value(), {});
  kernels(total.device()).sum({.x = x.value().view(), .out = total.view(), .divisor = divisor});
  return record(total, {x}, [=](const Tensor& dy) {
    const Tensor dx = x.value().like(x.shape());
    kernels(dy.device()).spread({.x = dy.view(), .out = dx.view(), .divisor = divisor});
    x.accumulate(dx);
  });
}

}  // namespace

Var add(const Var& a, const Var& b) {
  Check check("add");
  check.floating("a", a);
  check.shaped("b", b, a.shape(), "the shape of a");
  const Tensor out = a.value().like(a.shape());
  kernels(out.device()).add({.a = a.value().view(), .b = b.value().view(), .out = out.view()});
  return record(out, {a, b}, [=](const Tensor& dy) {
    a.accumulate(dy);
    b.accumulate(dy);
  });
}

Var multiply(const Var& a, const Var& b) {
  Check check("multiply");
  check.floating("a", a);
  check.shaped("b", b, a.shape(), "the shape of a");
  return record(multiplied(a.value(), b.value()), {a, b}, [=](const Tensor& dy) {
    if (a.wants_grad()) a.accumulate(multiplied(dy, b.value()));
    if (b.wants_grad()) b.accumulate(multiplied(dy, a.value()));
  });
}

Var scale(const Var& x, float factor) {
  Check("scale").floating("x", x);
  return record(scaled(x.value(), factor), {x}, [=](const Tensor& dy) { x.accumulate(scaled(dy, factor)); });
}

Var add_bias(const Var& x, const Var& bias) {
  Check check("add_bias");
  check.rank_at_least("x", x, 1);
  check.parameter("bias", bias, {x.shape().cols()}, "the last size of x");
  const Tensor out = x.value().like(x.shape());
  kernels(out.device()).bias({.x = x.value().view(), .bias = bias.value().view(), .out = out.view()});
  return record(out, {x, bias}, [=](const Tensor& dy) {
    x.accumulate(dy);
    if (bias.wants_grad()) bias.accumulate(column_sum(dy));
  });
}

Var sum(const Var& x) {
  Check("sum").floating("x", x);
  return divided_sum(x, 1);
}

Var mean(const Var& x) {
  Check check("mean");
  check.floating("x", x);
  const int64_t count = x.value().numel();
  check.that(count > 0, Code::bad_shape, "x has shape {}, expected at least one element", x.shape());
  return divided_sum(x, static_cast<double>(count));
}

}  // namespace locus::op
