// A backward pass that reports the leaves whose gradient is complete while it still computes the gradients of
// others.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "locus/autograd/var.h"

namespace locus {

// Does value.backward(gradient). Calls complete(i) once for each leaf, as soon as this pass adds nothing more
// to the gradient of leaves[i]; at the start if the value does not depend on the leaf. All leaves must be
// different.
void backward(const Var& value, const Tensor& gradient, std::span<const Var> leaves,
              const std::function<void(size_t)>& complete);

}  // namespace locus
