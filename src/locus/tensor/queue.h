// The work of a device: kernels, fills and copies. A device works in the order in which the host hands the
// work over, and the host need not wait for it. So memory may be released while work on it is still to be
// done: the next owner of the memory hands its own work over later. The work of the host's own devices is
// done when the call returns.
#pragma once

#include <cstdint>

#include "locus/tensor/device.h"

namespace locus {

// Returns when the device has done all its work.
void wait(Device);
// How often the host has waited for the device. Tests count the waits of a training step.
int64_t waits(Device);

}  // namespace locus
