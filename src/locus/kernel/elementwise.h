// Elementwise sums, scaling, copies and dropout. An output may be the same memory as an input.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

// out = a + b
struct AddArgs {
  ConstView a, b;
  View out;
};

// out = factor * x
struct ScaleArgs {
  ConstView x;
  View out;
  float factor = 1;
};

// out = a * b
struct MultiplyArgs {
  ConstView a, b;
  View out;
};

// out[r] = x[r] + bias
struct BiasArgs {
  ConstView x;     // [N, C]
  ConstView bias;  // [C]
  View out;        // [N, C]
};

// out = sum over r of x[r], the gradient of a bias
struct ColumnSumArgs {
  ConstView x;     // [N, C]
  View out;        // [C]
  View workspace;  // [partial_rows(N), C]
};

// y = keep(i) ? x / (1 - rate) : 0. keep(i) is a function of (seed, stream, i), where i is the index of the
// element in x. The backward pass is the same kernel applied to dy: it recomputes the mask instead of storing
// it.
struct DropoutArgs {
  ConstView x;
  View y;
  float rate = 0;  // in [0, 1)
  uint64_t seed = 0, stream = 0;
};

// to = from, converted between floating-point dtypes with rounding to nearest even.
struct ConvertArgs {
  ConstView from;
  View to;
};

// An element is dropped if its 16 random bits are below this threshold, so the rate is exact to 2^-17. Using
// 16 bits instead of 32 halves the cost of dropout.
constexpr uint32_t dropout_threshold(float rate) {
  const double scaled = static_cast<double>(rate) * 0x1p16 + 0.5;
  return scaled >= 0x1p16 ? 0xffffu : static_cast<uint32_t>(scaled);
}

}  // namespace locus::kernel
