#include "locus/scheme/initializer.h"

namespace locus {

Tensor Initializer::normal(Shape shape, double deviation) {
  const Tensor tensor = Tensor::empty(shape);
  if (!start_) return tensor;
  for (float& x : tensor.data<float>()) x = static_cast<float>(deviation * start_->normal(next_++));
  return tensor;
}

Tensor Initializer::uniform(Shape shape, double least, double most) {
  const Tensor tensor = Tensor::empty(shape);
  if (!start_) return tensor;
  for (float& x : tensor.data<float>()) {
    x = static_cast<float>(least + (most - least) * start_->uniform(next_++));
  }
  return tensor;
}

}  // namespace locus
