// The sum of all rows: the gradient of a bias that was added to every row.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

// [.., C] to [C]; f32 if x is bf16. The order of additions is fixed.
Tensor column_sum(const Tensor& x);

}  // namespace locus::op
