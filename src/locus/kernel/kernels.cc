#include "locus/kernel/kernels.h"

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/fenced/fenced.h"
#include "locus/kernel/reference/reference.h"

namespace locus {

const Kernels& kernels(Device device) {
  switch (device) {
    case Device::cpu:
      break;
    case Device::reference:
      return kernel::reference::table();
    case Device::fenced:
      return kernel::fenced::table();
    case Device::cuda:
      return kernel::cuda::table();
  }
  return kernel::cpu::table();
}

void require_usable(Device device) {
  if (device == Device::cuda) kernel::cuda::require_gpu();
}

}  // namespace locus
