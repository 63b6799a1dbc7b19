// Mean pooling: one row for every sequence of a packed batch, the mean of its tokens.
#pragma once

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus::op {

// x [N, C], starts [B+1], strictly increasing from 0 to N. Result [B, C].
Var mean_rows(const Var& x, const Indices& starts);

}  // namespace locus::op
