// The objective of a model with a head: the cross-entropy of its predictions.
//   head                                     loss
//   next_token, masked_token, token_class    mean over the targets that are not ignored
//   sequence_class                           mean over samples
//   answer                                   mean over samples of (start loss + end loss) / 2, with a softmax
//                                            over the sample's own tokens (Devlin et al. 2018)
#pragma once

#include <vector>

#include "locus/dist/transport.h"
#include "locus/nn/model.h"
#include "locus/train/batches.h"
#include "locus/train/objective.h"

namespace locus {

struct ModelObjectiveOptions {
  BatchOptions batches;
  float label_smoothing = 0;         // in training
  bool recompute = false;            // gradient checkpointing: layers store only their input
  bool bf16 = false;                 // activations in training; validation computes in f32, as inference does
  dist::Transport* ranks = nullptr;  // the processes that share the validation
};

// The loss over a batch of samples.
struct BatchLoss {
  Var mean;            // absent if every target is ignored
  int64_t count = 0;   // terms of the mean
  int64_t tokens = 0;  // tokens of the input
};
BatchLoss batch_loss(const Model& model, const std::vector<Sample>& samples, const ForwardPass& pass,
                     float label_smoothing = 0);

class ModelObjective final : public Objective {
 public:
  // `validation` may be null. Model and samples must outlive this object.
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
