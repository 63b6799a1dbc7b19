// What a model is trained for: a loss for every step, and how well it does on what it was not trained on.
#pragma once

#include <cstdint>
#include <optional>

#include "locus/autograd/var.h"
#include "locus/train/metrics.h"

namespace locus {

// The loss of a part of a step's samples: its mean, how much the mean stands for (predictions, or their
// weight), and how many tokens went in.
struct PartialLoss {
  Var mean;
  double weight = 1;
  int64_t tokens = 0;
};

// One micro-batch of a step: number `index` (from 0) of `count`; steps are numbered from 1.
struct MicroBatch {
  int64_t step = 1, index = 0, count = 1;
  uint64_t seed = 0;
  uint64_t number() const { return static_cast<uint64_t>(step * count + index); }  // its own, for dropout
};

class Objective {
 public:
  virtual ~Objective() = default;

  // A function of the micro-batch alone: a run that was interrupted asks for the same one again and must get
  // the same. A micro-batch without a target has no mean.
  virtual PartialLoss loss(const MicroBatch& micro_batch) = 0;

  // On the samples kept aside; nothing when there are none. No gradient is wanted.
  virtual std::optional<Validation> evaluate() = 0;
};

}  // namespace locus
