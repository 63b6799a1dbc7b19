// The sum of all rows: the gradient of a bias that was added to every row.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

Tensor column_sum(const Tensor& x);  // [.., C] to [C]; the order of additions is fixed

}  // namespace locus::op
