// The sum of all rows: the gradient of everything that was added to each of them.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

Tensor column_sum(const Tensor& x);  // [.., C] to [C], in a fixed order

}  // namespace locus::op
