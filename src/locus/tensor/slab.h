// Allocates many tensors with the same lifetime, such as the weights of a model. Its blocks are large enough
// for huge pages, which a small tensor alone would not get. This halves the time to read weights into them.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus {

class Slab {
 public:
  // Like Tensor::empty. A block is released with the last tensor in it.
  Tensor empty(const Shape& shape, DType dtype = DType::f32);

 private:
  std::shared_ptr<std::byte> block_;
  int64_t used_ = 0, size_ = 0;  // of the block
  int64_t all_ = 0;              // bytes requested so far
};

}  // namespace locus
