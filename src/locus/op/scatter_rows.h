// The gradient of a table whose rows were looked up.
#pragma once

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus::op {

// Adds factor * rows[n] to row ids[n] of the table's gradient, in the order of n. Rows with the id `frozen`
// are skipped. An existing gradient is changed in place, and only in the rows that occur. Otherwise a tensor
// of zeros is created first, because gradients are dense.
void scatter_rows(const Var& table, const Tensor& rows, const Indices& ids, int32_t frozen, float factor = 1);

}  // namespace locus::op
