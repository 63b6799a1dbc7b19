// What a model says to samples, target by target: everything a measure of quality is computed from.
#pragma once

#include <functional>
#include <vector>

#include "locus/nn/model.h"
#include "locus/train/metrics.h"
#include "locus/train/samples.h"

namespace locus {

// One for each target that counts; for an answer two, the numbers of its first and of its last token.
struct Prediction {
  int64_t sample = 0;
  int64_t length = 0;            // tokens of the sample
  int64_t place = 0;             // of the target among its sample's
  int32_t target = 0, said = 0;  // `said` has the largest logit, the first of equals
  double loss = 0;               // -log of the target's probability
};

// Of all samples, as they are in epoch 0.
std::vector<Prediction> predictions(const Model& model, const Samples& samples);

// loss, then accuracy (of answers: both ends right), and by what is predicted perplexity (tokens),
// exact_match (translations: all of the sample's tokens right, which is to say that greedy generation gives
// the target), f1 (labels: the mean of all labels' that occur).
std::vector<NamedNumber> summary(const Blueprint& blueprint, const std::vector<Prediction>& predictions);

// Calls f with runs of samples that together have a few thousand tokens, enough to keep all threads busy, and
// with the number of the first.
void each_run(const Samples& samples,
              const std::function<void(const std::vector<Sample>& run, int64_t first)>& f);

}  // namespace locus
