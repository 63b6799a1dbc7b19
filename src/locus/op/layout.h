// The same numbers in another shape, and parts of an axis.
#pragma once

#include <vector>

#include "locus/autograd/var.h"

namespace locus::op {

Var reshape(const Var& x, Shape shape);

// Cuts the last axis into parts of these widths, which add up to it. The parts are views: nothing is copied
// forward.
std::vector<Var> split(const Var& x, const std::vector<int64_t>& widths);

// Rows [begin, end) of the first axis: a view.
Var rows(const Var& x, int64_t begin, int64_t end);

// Puts tensors of equal rows side by side along the last axis.
Var join(const std::vector<Var>& parts);

}  // namespace locus::op
