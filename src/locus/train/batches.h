// Which samples a step takes. Samples stand in an endless line, epoch after epoch, each epoch in an order
// that is a function of (seed, epoch); a step takes the next `batch` of them, or as many as have `tokens`
// tokens at most. Any step can be asked for at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "locus/train/samples.h"

namespace locus {

struct BatchOptions {
  int64_t batch = 8;   // samples in a step, when tokens is 0
  int64_t tokens = 0;  // in a step at most; a sample is never cut, so none may be longer
  bool shuffle = true;
  uint64_t seed = 0;
};

class Batches {
 public:
  struct Pick {
    int64_t index, epoch;
  };

  // The samples stay with the caller. None at all, or a sample longer than a step: an error.
  Batches(const Samples& samples, const BatchOptions& options);

  // Part `part` of `parts` of the samples of a step, which counts from 1. A step of few samples may leave a
  // part without any.
  std::vector<Pick> picks(int64_t step, int64_t part, int64_t parts);

 private:
  Pick pick(int64_t place) const;  // in the endless line
  int64_t begin_of(int64_t step);  // the place of a step's first sample
  const Samples& samples_;
  BatchOptions options_;
  std::vector<int64_t> begins_ = {0};  // by tokens: of the steps cut so far
};

}  // namespace locus
