// The kernels of NVIDIA GPUs. Views are in the GPU's memory (tensor/cuda/gpu.h); calls return before a kernel
// has run, except those that return a number. Storage and arithmetic are f32; the right side of a product and
// the token table of embed may be bf16. Attention takes bf16 activations if takes_bf16() of attention_mma.h.
#pragma once

#include <string>
#include <vector>

#include "locus/kernel/kernels.h"

namespace locus::kernel::cuda {

const Kernels& table();
LOCUS_KERNELS(LOCUS_KERNEL_FUNCTION)

// The sets of kernels compiled in; empty if Locus was built without nvcc. Then every kernel fails with
// Fault::resource.
std::vector<std::string> compiled();

// Fails with Code::no_gpu without a GPU that these kernels run on.
void require_gpu();

}  // namespace locus::kernel::cuda
