// Initializer values of parameters. Each tensor takes fresh numbers of one random stream, so that they depend
// on nothing but the stream and the order they are asked for in.
#pragma once

#include <optional>

#include "locus/base/random.h"
#include "locus/tensor/tensor.h"

namespace locus {

// The stream that parameters start from; nothing: they are left blank, for values that are read from
// elsewhere.
using InitRandom = std::optional<Random>;

class Initializer {
 public:
  explicit Initializer(const InitRandom& start) : start_(start) {}

  Tensor normal(Shape shape, double deviation);
  Tensor uniform(Shape shape, double least, double most);

 private:
  InitRandom start_;
  uint64_t next_ = 0;
};

}  // namespace locus
