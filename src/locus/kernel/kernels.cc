#include "locus/kernel/kernels.h"

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/reference/reference.h"

namespace locus {

const Kernels& kernels(Device device) {
  return device == Device::reference ? kernel::reference::table() : kernel::cpu::table();
}

}  // namespace locus
