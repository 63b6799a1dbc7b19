// Memory for many tensors that come and go together, such as the weights of a model. It is had in blocks
// large enough for huge pages, which a small tensor alone would not get: reading weights into them takes half
// the time.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus {

class Slab {
 public:
  // As Tensor::empty. What it shares with others goes when the last of them does.
  Tensor empty(const Shape& shape, DType dtype = DType::f32);

 private:
  std::shared_ptr<std::byte> block_;
  int64_t used_ = 0, size_ = 0;  // of the block
  int64_t all_ = 0;              // bytes that were asked for so far
};

}  // namespace locus
