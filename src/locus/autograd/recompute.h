// Trading time for memory: what f computes on the way is dropped after the forward pass and computed again
// backward.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "locus/autograd/var.h"

namespace locus {

// f(inputs), keeping only the inputs until the backward pass. f must give the same result each time it is
// called, as ops do: their random numbers are functions of a counter. Parameters that f uses on its own get
// their gradients as usual.
Var recompute(std::function<Var(std::span<const Var>)> f, std::vector<Var> inputs);

}  // namespace locus
