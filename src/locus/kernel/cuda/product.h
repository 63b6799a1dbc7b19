// Products of bf16 matrices with f32 sums.
#pragma once

#include "locus/kernel/matmul.h"

namespace locus::kernel::cuda {

// b is bf16. a and c are bf16 or f32; an f32 a is rounded. The activation is left to the caller.
void product_of_bf16(const MatmulArgs&);

// Whether a Hopper GPU, too, uses the kernels of GPUs before it. For tests.
void use_ampere_products(bool);

}  // namespace locus::kernel::cuda
