// Which samples a step uses. The samples form an endless sequence, epoch after epoch; the order of an epoch
// is a function of (seed, epoch). A step takes the next `batch_size` samples, or the next samples that fit
// into `tokens` tokens. Steps can be queried in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "locus/train/samples.h"

namespace locus {

struct BatchOptions {
  int64_t batch_size = 8;  // samples per step, if tokens is 0
  int64_t tokens = 0;      // most tokens per step; samples are never cut, so no sample may be longer
  bool shuffle = true;
  uint64_t seed = 0;
};

class Batches {
 public:
  struct Pick {
    int64_t index, epoch;
  };

  // The samples must outlive this object. Throws if there are no samples, or if one is longer than `tokens`.
  Batches(const Samples& samples, const BatchOptions& options);

  // The samples of micro-batch `index` (from 0) of `count` in a step; steps are numbered from 1. A
  // micro-batch is empty if the step has fewer samples than micro-batches.
  std::vector<Pick> picks(int64_t step, int64_t index, int64_t count);

 private:
  Pick pick(int64_t place) const;  // the sample at this place of the endless sequence
  int64_t begin_of(int64_t step);  // the place of a step's first sample
  const Samples& samples_;
  BatchOptions options_;
  std::vector<int64_t> begins_ = {0};  // with `tokens`: places of the steps computed so far
};

}  // namespace locus
