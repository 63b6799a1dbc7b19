// The GPU's kernels on views of host memory: a call copies the memory of its views to the GPU, runs there,
// and copies what may have been written back. So every test of a kernel can run on the GPU as well.
#pragma once

#include <string>

#include "locus/kernel/kernels.h"

namespace locus::testing {

// Null if this machine has no GPU or Locus no kernels for it.
const Kernels* gpu_kernels();
// Why it has none, for tests that skip.
std::string no_gpu();

}  // namespace locus::testing
