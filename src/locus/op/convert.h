// Converts a tensor to another floating-point dtype. It is for storage: no gradient flows through it.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

Tensor convert(const Tensor& x, DType dtype);

}  // namespace locus::op
