#include "locus/scheme/initializer.h"

namespace locus {

Tensor Initializer::normal(Shape shape, double init_std) {
  const Tensor tensor = Tensor::empty(shape);
  if (!random_) return tensor;
  for (float& x : tensor.data<float>()) x = static_cast<float>(init_std * random_->normal(next_++));
  return tensor;
}

Tensor Initializer::uniform(Shape shape, double least, double most) {
  const Tensor tensor = Tensor::empty(shape);
  if (!random_) return tensor;
  for (float& x : tensor.data<float>()) {
    x = static_cast<float>(least + (most - least) * random_->uniform(next_++));
  }
  return tensor;
}

}  // namespace locus
