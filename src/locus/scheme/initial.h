// Initial values of parameters. Each tensor takes fresh numbers of one random stream, so that they depend on
// nothing but the stream and the order they are asked for in.
#pragma once

#include "locus/base/random.h"
#include "locus/tensor/tensor.h"

namespace locus {

class Initial {
 public:
  explicit Initial(const Random& random) : random_(random) {}

  Tensor normal(Shape shape, double deviation);
  Tensor uniform(Shape shape, double least, double most);

 private:
  Random random_;
  uint64_t next_ = 0;
};

}  // namespace locus
