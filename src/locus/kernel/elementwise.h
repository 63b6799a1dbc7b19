// Sums, scalings and copies, element by element, and dropout. Outputs may be one of the inputs.
#pragma once

#include <cstdint>

#include "locus/kernel/partial.h"
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

// out = sum over r of x[r]: the gradient of a bias
struct ColumnSumArgs {
  ConstView x;     // [N, C]
  View out;        // [C]
  View workspace;  // [partial_chunks(N), C]
};

// y = keep(i) ? x / (1 - rate) : 0 with keep(i) a function of (seed, stream, i), i the element's number in x.
// The backward pass is this same kernel on dy: the mask is computed again, never stored.
struct DropoutArgs {
  ConstView x;
  View y;
  float rate = 0;  // in [0, 1)
  uint64_t seed = 0, stream = 0;
};

// to = from, each stored in its own floating dtype, rounded to nearest even.
struct ConvertArgs {
  ConstView from;
  View to;
};

// An element is dropped when its 16 random bits are below this: a rate is met to 2^-17. Half a word for each
// halves the price of dropout.
constexpr uint32_t dropout_threshold(float rate) {
  const double scaled = static_cast<double>(rate) * 0x1p16 + 0.5;
  return scaled >= 0x1p16 ? 0xffffu : static_cast<uint32_t>(scaled);
}

}  // namespace locus::kernel
