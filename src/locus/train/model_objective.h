// The objective of a model with a head: the loss of what it says against what it should have said.
//   next_token, masked_token, token_class    mean over the targets that count
//   sequence_class                           mean over samples
//   answer                                   mean over samples of the losses of start and end, each among the
//                                            tokens of its own sample, halved (Devlin et al. 2018)
#pragma once

#include <vector>

#include "locus/nn/model.h"
#include "locus/train/batches.h"
#include "locus/train/objective.h"

namespace locus {

struct ModelObjectiveOptions {
  BatchOptions batches;
  float smoothing = 0;     // of the targets, in training
  bool recompute = false;  // layers keep their input alone
};

// The loss of some samples.
struct BatchLoss {
  Var mean;            // absent when no target counts
  int64_t count = 0;   // what the mean is over
  int64_t tokens = 0;  // read
};
BatchLoss batch_loss(const Model& model, const std::vector<Sample>& samples, const ForwardPass& pass,
                     float smoothing = 0);

class ModelObjective final : public Objective {
 public:
  // `validation` may be null. All stay with the caller.
  ModelObjective(const Model& model, const Samples& training, const Samples* validation,
                 const ModelObjectiveOptions& options);

  PartialLoss loss(const MicroBatch& micro_batch) override;
  std::optional<Validation> evaluate() override;

 private:
  const Model& model_;
  const Samples& training_;
  const Samples* validation_;
  ModelObjectiveOptions options_;
  Batches batches_;
};

}  // namespace locus
