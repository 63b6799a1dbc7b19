// The memory of the GPU, for tensors.
#pragma once

#include "locus/tensor/memory.h"

namespace locus::cuda {

const DeviceMemory& memory();

}  // namespace locus::cuda
