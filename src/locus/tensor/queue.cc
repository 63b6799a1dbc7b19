#include "locus/tensor/queue.h"

#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/fenced/fenced.h"

namespace locus {

void wait(Device device) {
  if (device == Device::fenced) fenced::wait();
  if (device == Device::cuda) cuda::wait();
}

int64_t waits(Device device) {
  if (device == Device::fenced) return fenced::waits();
  if (device == Device::cuda) return cuda::waits();
  return 0;
}

}  // namespace locus
