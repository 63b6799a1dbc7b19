// What a model is trained for: a loss for every step, and a validation on held-out samples.
#pragma once

#include <cstdint>
#include <optional>

#include "locus/autograd/var.h"
#include "locus/train/metrics.h"

namespace locus {

// The loss of one micro-batch: its mean, the weight of that mean in the step (the number of predictions), and
// the number of input tokens.
struct PartialLoss {
  Var mean;
  double weight = 1;
  int64_t tokens = 0;
};

// One micro-batch of a step: number `index` (from 0) of `count`; steps are numbered from 1.
struct MicroBatch {
  int64_t step = 1, index = 0, count = 1;
  uint64_t seed = 0;
  uint64_t number() const { return static_cast<uint64_t>(step * count + index); }  // unique; seeds dropout
};

class Objective {
 public:
  virtual ~Objective() = default;

  // Must depend on the micro-batch alone: a resumed run computes the same micro-batch again and must get the
  // same loss. The mean is absent if the micro-batch has no target.
  virtual PartialLoss loss(const MicroBatch& micro_batch) = 0;

  // Evaluates on the held-out samples, without gradients. Returns nothing if there are no such samples.
  virtual std::optional<Validation> evaluate() = 0;
};

}  // namespace locus
