// A dense layer after pooling. sentence-transformers stores it in its own folder: config.json, and
// linear.weight and linear.bias in model.safetensors.
//   y = f(x weight^T + bias)
#pragma once

#include <filesystem>

#include "locus/nn/linear.h"

namespace locus {

struct DenseStep {
  Linear linear;  // f32
  Activation activation = Activation::none;

  int64_t width() const { return linear.weight.shape()[0]; }
  Var operator()(const Var& x) const { return linear(x, activation); }
};

// `width` is the size of the input vectors.
DenseStep read_dense(const std::filesystem::path& folder, int64_t width, Device device);

}  // namespace locus
