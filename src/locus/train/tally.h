// Measures of quality over predictions, which are counted one by one.
#pragma once

#include <map>
#include <vector>

#include "locus/nn/blueprint.h"
#include "locus/train/metrics.h"
#include "locus/train/predictions.h"

namespace locus {

class Tally {
 public:
  explicit Tally(const Blueprint& blueprint) : kind_(blueprint.kind), head_(blueprint.head.kind) {}

  // All predictions of a sample must follow each other.
  void add(const Prediction& one);
  void add(const Tally& other);  // of other samples

  int64_t targets() const { return count_; }
  double loss() const { return loss_ / static_cast<double>(count_); }  // mean
  double accuracy() const;                                             // for answers: both ends correct
  // `loss` and `accuracy`, followed by
  //   perplexity    for tokens
  //   exact_match   for translations: the share of samples with every token correct, which means that greedy
  //                 decoding produces the target
  //   f1            for labels: macro average over the labels that occur
  std::vector<NamedNumber> numbers() const;

 private:
  struct Label {
    int64_t right = 0, predicted = 0, expected = 0;
  };
  bool has_labels() const { return head_ == HeadKind::sequence_class || head_ == HeadKind::token_class; }
  double all_right() const;  // the share of samples without a wrong prediction
  double mean_f1() const;

  ModelKind kind_;
  HeadKind head_;
  int64_t count_ = 0, right_ = 0, samples_ = 0, wrong_samples_ = 0;
  double loss_ = 0;
  int64_t sample_ = -1;  // the latest one
  bool wrong_ = false;   // whether it has a wrong prediction
  std::map<int32_t, Label> labels_;
};

// The tally of all predictions of a model, on all ranks that share the work (predictions.h).
Tally tally(const Model& model, const Samples& samples, dist::Transport* ranks = nullptr);

}  // namespace locus
