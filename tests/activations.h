// Every activation, for tests that try them all.
#pragma once

#include "locus/kernel/activation.h"

namespace locus {

inline constexpr Activation kActivations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                              Activation::silu, Activation::relu, Activation::tanh};

}  // namespace locus
