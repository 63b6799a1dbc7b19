// Reshapes, splits and concatenates tensors.
#pragma once

#include <vector>

#include "locus/autograd/var.h"

namespace locus::op {

Var reshape(const Var& x, Shape shape);

// Splits the last axis into parts of these widths, whose sum is its size. The parts are views: the forward
// pass copies nothing.
std::vector<Var> split(const Var& x, const std::vector<int64_t>& widths);

// Rows [begin, end) of the first axis, as a view.
Var rows(const Var& x, int64_t begin, int64_t end);

// Concatenates tensors along the last axis. All other sizes must be equal.
Var join(const std::vector<Var>& parts);

}  // namespace locus::op
