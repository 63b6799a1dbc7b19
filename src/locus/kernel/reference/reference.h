// The specification of every kernel: plain loops with arithmetic in double. Storage is f32 or f64, or bf16
// for activations, weights and token tables. A bf16 result is rounded once, to nearest even.
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::reference {

const Kernels& table();
LOCUS_KERNELS(LOCUS_KERNEL_FUNCTION)

}  // namespace locus::kernel::reference
