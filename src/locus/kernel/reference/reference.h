// The specification of every kernel: plain loops with arithmetic in double. Storage is f32 or f64, or bf16
// for the right side of a product.
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::reference {

const Kernels& table();
LOCUS_KERNELS(LOCUS_KERNEL_FUNCTION)

}  // namespace locus::kernel::reference
