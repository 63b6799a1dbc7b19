#include "locus/op/elementwise.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/column_sum.h"

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

// A number of the same dtype and on the same device as `like`.
Tensor number(double value, const Tensor& like) {
  const Tensor one = like.like({});
  if (one.dtype() == DType::f64) {
    one.data<double>()[0] = value;
  } else {
    one.data<float>()[0] = static_cast<float>(value);
  }
  return one;
}

// factor * the sum of x's elements
Var scaled_sum(const char* name, const Var& x, double factor) {
  Check(name).floating("x", x.value());
  const double total = kernels(x.value().device()).sum(x.value().view());
  return record(number(factor * total, x.value()), {x}, [=](const Tensor& dy) {
    x.accumulate(Tensor::full(x.shape(), static_cast<float>(factor) * dy.item(), dy.dtype(), dy.device()));
  });
}

}  // namespace

Var add(const Var& a, const Var& b) {
  Check check("add");
  check.floating("a", a.value());
  check.shaped("b", b.value(), a.shape(), "the shape of a");
  const Tensor out = a.value().like(a.shape());
  kernels(out.device()).add({.a = a.value().view(), .b = b.value().view(), .out = out.view()});
  return record(out, {a, b}, [=](const Tensor& dy) {
    a.accumulate(dy);
    b.accumulate(dy);
  });
}

Var multiply(const Var& a, const Var& b) {
  Check check("multiply");
  check.floating("a", a.value());
  check.shaped("b", b.value(), a.shape(), "the shape of a");
  return record(multiplied(a.value(), b.value()), {a, b}, [=](const Tensor& dy) {
    if (a.wants_grad()) a.accumulate(multiplied(dy, b.value()));
    if (b.wants_grad()) b.accumulate(multiplied(dy, a.value()));
  });
}

Var scale(const Var& x, float factor) {
  Check("scale").floating("x", x.value());
  return record(scaled(x.value(), factor), {x}, [=](const Tensor& dy) { x.accumulate(scaled(dy, factor)); });
}

Var add_bias(const Var& x, const Var& bias) {
  Check check("add_bias");
  check.rank_at_least("x", x.value(), 1);
  check.shaped("bias", bias.value(), {x.shape().cols()}, "the last size of x");
  const Tensor out = x.value().like(x.shape());
  kernels(out.device()).bias({.x = x.value().view(), .bias = bias.value().view(), .out = out.view()});
  return record(out, {x, bias}, [=](const Tensor& dy) {
    x.accumulate(dy);
    if (bias.wants_grad()) bias.accumulate(column_sum(dy));
  });
}

Var sum(const Var& x) { return scaled_sum("sum", x, 1); }

Var mean(const Var& x) {
  Check("mean").that(x.value().numel() > 0, "x has shape {}, expected at least one element",
                     x.shape().text());
  return scaled_sum("mean", x, 1 / static_cast<double>(x.value().numel()));
}

}  // namespace locus::op
