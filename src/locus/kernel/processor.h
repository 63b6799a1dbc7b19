// What runs the kernels of a device. Results have the same bits on processors of the same name.
#pragma once

#include <string>

#include "locus/tensor/device.h"

namespace locus {

// The SIMD target of this CPU, or the name of the GPU and its compute capability.
std::string processor_of(Device device);

}  // namespace locus
