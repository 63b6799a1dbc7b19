// Gradient checkpointing: trades time for memory. The intermediate values of f are dropped after the forward
// pass and computed again in the backward pass.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "locus/autograd/var.h"

namespace locus {

// Returns f(inputs) and keeps only the inputs until the backward pass. f must return the same result every
// time, as ops do: their random numbers are functions of a counter. Parameters that f uses but that are not
// among the inputs get their gradients as usual.
Var recompute(std::function<Var(std::span<const Var>)> f, std::vector<Var> inputs);

}  // namespace locus
