#include "locus/train/tally.h"

#include <cmath>

namespace locus {
namespace {

double ratio(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

void Tally::add(const Prediction& one) {
  const bool right = one.predicted == one.target;
  ++count_;
  right_ += right ? 1 : 0;
  loss_ += one.loss;
  if (one.sample != sample_) {
    sample_ = one.sample;
    wrong_ = false;
    ++samples_;
  }
  if (!right && !wrong_) {
    wrong_ = true;
    ++wrong_samples_;
  }
  if (!has_labels()) return;
  ++labels_[one.target].expected;
  ++labels_[one.predicted].predicted;
  labels_[one.predicted].right += right ? 1 : 0;
}

void Tally::add(const Tally& other) {
  count_ += other.count_;
  right_ += other.right_;
  loss_ += other.loss_;
  samples_ += other.samples_;
  wrong_samples_ += other.wrong_samples_;
  for (const auto& [label, counts] : other.labels_) {
    Label& own = labels_[label];
    own.right += counts.right;
    own.predicted += counts.predicted;
    own.expected += counts.expected;
  }
}

double Tally::accuracy() const { return head_ == HeadKind::answer ? all_right() : ratio(right_, count_); }

double Tally::all_right() const { return ratio(samples_ - wrong_samples_, samples_); }

double Tally::mean_f1() const {
  double sum = 0;
  for (const auto& [label, counts] : labels_) {
    sum += 2 * ratio(counts.right, counts.predicted + counts.expected);
  }
  return sum / static_cast<double>(labels_.size());
}

std::vector<NamedNumber> Tally::numbers() const {
  std::vector<NamedNumber> numbers = {{"loss", loss()}, {"accuracy", accuracy()}};
  if (predicts_tokens(head_)) numbers.emplace_back("perplexity", std::exp(loss()));
  if (kind_ == ModelKind::encoder_decoder && head_ == HeadKind::next_token) {
    numbers.emplace_back("exact_match", all_right());
  }
  if (has_labels()) numbers.emplace_back("f1", mean_f1());
  return numbers;
}

Tally tally(const Model& model, const Samples& samples, dist::Transport* ranks) {
  Tally result(model.blueprint());
  each_prediction(
      model, samples, [&](const Prediction& one) { result.add(one); }, {}, ranks);
  return result;
}

}  // namespace locus
