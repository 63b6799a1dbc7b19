// The gradient of a table whose rows were looked up.
#pragma once

#include "locus/autograd/var.h"

namespace locus::op {

// Adds factor * rows[n] to row ids[n] of the table's gradient, n ascending; rows of the id `frozen` are left
// out. A gradient that is there already is added to in place, and only in the rows that occur. The first to
// come makes a tensor of zeros, which is written whole: gradients are dense, and so is what reads them.
void scatter_rows(const Var& table, const Tensor& rows, const Tensor& ids, int32_t frozen, float factor = 1);

}  // namespace locus::op
