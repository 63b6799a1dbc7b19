// Elementwise activations f(x) and gated products f(gate) * up, forward and backward.
#pragma once

#include <cstdint>
#include <string_view>

#include "locus/tensor/view.h"

namespace locus {

//   gelu       x Phi(x), Phi by erf
//   gelu_tanh  x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
//   silu       x / (1 + e^-x)
//   relu       max(x, 0)
enum class Activation : uint8_t { none, gelu, gelu_tanh, silu, relu, tanh };

constexpr std::string_view name_of(Activation activation) {
  constexpr std::string_view names[] = {"none", "gelu", "gelu_tanh", "silu", "relu", "tanh"};
  return names[static_cast<int>(activation)];
}

namespace kernel {

// y = f(x). y may be x.
struct ActivationArgs {
  Activation activation = Activation::none;
  ConstView x;
  View y;
};

// dx = dy f'(x). dx may be dy.
struct ActivationBackwardArgs {
  Activation activation = Activation::none;
  ConstView x, dy;
  View dx;
};

// y = f(gate) up
struct GatedArgs {
  Activation activation = Activation::none;
  ConstView gate, up;
  View y;
};

// dgate = dy up f'(gate), dup = dy f(gate)
struct GatedBackwardArgs {
  Activation activation = Activation::none;
  ConstView gate, up, dy;
  View dgate, dup;
};

}  // namespace kernel
}  // namespace locus
