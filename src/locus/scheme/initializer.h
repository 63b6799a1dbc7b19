// Initial values of parameters. All tensors of a scheme share one random stream, each taking the next numbers
// of it. The values therefore depend only on the stream and on the order of the calls.
#pragma once

#include <optional>

#include "locus/base/random.h"
#include "locus/tensor/tensor.h"

namespace locus {

// The random stream of the initial values. Empty: parameters stay uninitialized, because their values will be
// read from a file.
using InitRandom = std::optional<Random>;

class Initializer {
 public:
  explicit Initializer(const InitRandom& random) : random_(random) {}

  Tensor normal(Shape shape, double init_std);
  Tensor uniform(Shape shape, double least, double most);

 private:
  InitRandom random_;
  uint64_t next_ = 0;
};

}  // namespace locus
