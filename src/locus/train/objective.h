// What a model is trained for: a loss for every step, and how well it does on what it was not trained on.
#pragma once

#include <cstdint>
#include <optional>

#include "locus/autograd/var.h"
#include "locus/base/random.h"
#include "locus/train/metrics.h"

namespace locus {

// The loss of a part of a step's samples: its mean, how much the mean stands for (predictions, or their
// weight), and how many tokens went in.
struct PartialLoss {
  Var mean;
  double weight = 1;
  int64_t tokens = 0;
};

class Objective {
 public:
  virtual ~Objective() = default;

  // Part `part` of `parts` of the samples of a step (counted from 1). A function of these and of `random`
  // alone: a run that was interrupted asks for the same step again and must get the same. Streams of `random`
  // up to 2^16 above its own are free for this part.
  virtual PartialLoss loss(int64_t step, int64_t part, int64_t parts, const Random& random) = 0;

  // On the samples kept aside; nothing when there are none. No gradient is wanted.
  virtual std::optional<Validation> evaluate() = 0;
};

}  // namespace locus
