// A linear layer: x weight^T + bias.
#pragma once

#include "locus/nn/parameter_factory.h"
#include "locus/op/matmul.h"

namespace locus {

struct Linear {
  Var weight, bias;  // [out, in], [out] or absent

  Linear() = default;  // absent: converts to false
  // The init std of the weights is `factor` times that of the factory.
  Linear(const ParameterFactory& factory, int64_t in, int64_t out, bool with_bias, double factor = 1)
      : weight(factory.weight("weight", {out, in}, Role::matrix, factor)),
        bias(with_bias ? factory.full("bias", {out}, Role::bias, 0) : Var()) {}

  explicit operator bool() const { return static_cast<bool>(weight); }
  bool wants_grad() const { return weight.wants_grad() || bias.wants_grad(); }
  Var operator()(const Var& x, Activation activation = Activation::none) const {
    return op::linear(x, weight, bias, activation);
  }
};

}  // namespace locus
