// Operands of the benchmark cases.
#pragma once

#include "bench/cases.h"
#include "locus/base/random.h"
#include "locus/kernel/kernels.h"
#include "locus/tensor/tensor.h"

namespace locus::bench {

inline const Kernels& cpu() { return kernels(Device::cpu); }

// Numbers in [-2, 2).
inline Tensor filled(Shape shape, uint64_t seed = 1) {
  const Tensor tensor = Tensor::empty(shape);
  const Random random(seed, 0);
  uint64_t i = 0;
  for (float& value : tensor.data<float>()) value = 4 * random.uniform(i++) - 2;
  return tensor;
}

inline Tensor ids(int64_t count, int64_t below) {
  const Tensor tensor = Tensor::empty({count}, DType::i32);
  uint64_t i = 0;
  for (int32_t& id : tensor.data<int32_t>()) {
    id = static_cast<int32_t>(Random(2, 0).below(i++, static_cast<uint32_t>(below)));
  }
  return tensor;
}

inline std::string text(int64_t rows, int64_t cols) { return fmt::format("{}x{}", rows, cols); }

}  // namespace locus::bench
