// The predictions of a model, target by target. All quality measures are computed from them.
#pragma once

#include <functional>

#include "locus/dist/transport.h"
#include "locus/nn/model.h"
#include "locus/train/samples.h"

namespace locus {

// One for each target that is not ignored. An answer has two: the indices of its first and of its last token.
struct Prediction {
  int64_t sample = 0;
  int64_t length = 0;    // tokens of the sample; of its source for an encoder-decoder
  int64_t position = 0;  // index of the target in its sample
  int32_t target = 0;
  int32_t predicted = 0;  // the class with the largest logit; the first one of a tie
  double loss = 0;        // -log of the target's probability
};

// Called with the number of samples done, and of all samples.
using SampleProgress = std::function<void(int64_t done, int64_t all)>;

// Calls f for every prediction of all samples, as they are in epoch 0, in their order. Memory is bounded by a
// batch: at no time are there logits for all of its tokens. Throws if no sample has a target.
//
// If several processes call it with the same model and samples, `ranks` shares the work: each computes every
// R-th batch, and all of them get all predictions.
void each_prediction(const Model& model, const Samples& samples,
                     const std::function<void(const Prediction&)>& f, const SampleProgress& progress = {},
                     dist::Transport* ranks = nullptr);

// Throws if the loss is NaN or infinite.
void require_finite(const Prediction& prediction, const Samples& samples);

// Calls f with batches of consecutive samples and the index of the first one. A batch has up to about 4096
// tokens, enough to keep all threads busy.
void each_batch(const Samples& samples,
                const std::function<void(const std::vector<Sample>& batch, int64_t first)>& f);

}  // namespace locus
