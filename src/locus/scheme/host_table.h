// Small tables that the host computes in double, for kernels on any device.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus {

// A tensor of the dtype of `like` that the host can write. Then on(like.device()) takes it to the kernels,
// without a copy if the host can read that device.
inline Tensor host_table(const Tensor& like, Shape shape) {
  return Tensor::empty(shape, like.dtype(), on_host(like.device()) ? like.device() : Device::cpu);
}

}  // namespace locus
