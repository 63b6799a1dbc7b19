// All activations, for tests that cover every one.
#pragma once

#include "locus/kernel/activation.h"

namespace locus {

inline constexpr Activation kActivations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                              Activation::silu, Activation::relu, Activation::tanh};

}  // namespace locus
