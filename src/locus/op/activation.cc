#include "locus/op/activation.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {

Var activate(const Var& x, Activation activation) {
  Check("activate").floating("x", x);
  const Tensor y = x.value().like(x.shape());
  kernels(y.device()).activation({.activation = activation, .x = x.value().view(), .y = y.view()});
  return record(y, {x}, [=](const Tensor& dy) {
    const Tensor dx = dy.like(dy.shape());
    kernels(dy.device())
        .activation_backward(
            {.activation = activation, .x = x.value().view(), .dy = dy.view(), .dx = dx.view()});
    x.accumulate(dx);
  });
}

Var gated(const Var& gate, const Var& up, Activation activation) {
  Check check("gated");
  check.floating("gate", gate);
  check.shaped("up", up, gate.shape(), "the shape of gate");
  const Tensor y = gate.value().like(gate.shape());
  kernels(y.device())
      .gated({.activation = activation, .gate = gate.value().view(), .up = up.value().view(), .y = y.view()});
  return record(y, {gate, up}, [=](const Tensor& dy) {
    const Tensor dgate = dy.like(dy.shape()), dup = dy.like(dy.shape());
    kernels(dy.device())
        .gated_backward({.activation = activation,
                         .gate = gate.value().view(),
                         .up = up.value().view(),
                         .dy = dy.view(),
                         .dgate = dgate.view(),
                         .dup = dup.view()});
    gate.accumulate(dgate);
    up.accumulate(dup);
  });
}

}  // namespace locus::op
