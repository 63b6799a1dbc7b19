#include "locus/kernel/processor.h"

#include <fmt/format.h>

#include "locus/kernel/cpu/targets.h"
#include "locus/tensor/cuda/driver.h"

namespace locus {

std::string processor_of(Device device) {
  if (device != Device::cuda) return kernel::cpu::supported_targets().front();
  const cuda::Finding gpu = cuda::find();
  return fmt::format("{}, compute capability {}.{}", gpu.gpu, gpu.major, gpu.minor);
}

}  // namespace locus
