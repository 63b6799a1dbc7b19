// The predictions of a model, target by target. All quality measures are computed from them.
#pragma once

#include <functional>
#include <vector>

#include "locus/nn/model.h"
#include "locus/train/metrics.h"
#include "locus/train/samples.h"

namespace locus {

// One for each target that is not ignored. An answer has two: the indices of its first and of its last token.
struct Prediction {
  int64_t sample = 0;
  int64_t length = 0;    // tokens of the sample
  int64_t position = 0;  // index of the target in its sample
  int32_t target = 0;
  int32_t predicted = 0;  // the class with the largest logit; the first one of a tie
  double loss = 0;        // -log of the target's probability
};

// Predictions for all samples, as they are in epoch 0.
std::vector<Prediction> predictions(const Model& model, const Samples& samples);

// `loss` and `accuracy` (for answers: both ends correct), followed by
//   perplexity    for tokens
//   exact_match   for translations: the share of samples with every token correct, which means that greedy
//                 decoding produces the target
//   f1            for labels: macro average over the labels that occur
std::vector<NamedNumber> summary(const Blueprint& blueprint, const std::vector<Prediction>& predictions);

// Calls f with batches of consecutive samples and the index of the first one. A batch has up to about 4096
// tokens, enough to keep all threads busy.
void each_batch(const Samples& samples,
                const std::function<void(const std::vector<Sample>& batch, int64_t first)>& f);

}  // namespace locus
