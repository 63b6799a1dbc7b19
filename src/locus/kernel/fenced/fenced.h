// Kernels of the fenced device: those of cpu, on its memory and when the host waits.
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::fenced {

const Kernels& table();

}  // namespace locus::kernel::fenced
