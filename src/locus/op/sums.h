// The format of sums: of parameters and their gradients, statistics, losses and tables beside activations.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

// f32 if the activations are bf16, else their format.
constexpr DType sum_format(DType activations) {
  return activations == DType::bf16 ? DType::f32 : activations;
}

// A new tensor in that format, on the device of `activations`.
inline Tensor sums_like(const Tensor& activations, Shape shape) {
  return Tensor::empty(shape, sum_format(activations.dtype()), activations.device());
}

}  // namespace locus::op
