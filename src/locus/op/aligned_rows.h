// Results whose rows start at 16-byte addresses, as the GPU's products in bf16 read them without a copy.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

// How many columns to allocate for `cols` columns in the format and on the device of `like`.
inline int64_t aligned_columns(const Tensor& like, int64_t cols) {
  constexpr int64_t kTogether = 8;
  const bool needed = like.dtype() == DType::bf16 && like.device() == Device::cuda;
  return needed ? (cols + kTogether - 1) / kTogether * kTogether : cols;
}

}  // namespace locus::op
