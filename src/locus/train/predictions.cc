#include "locus/train/predictions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "locus/base/error.h"
#include "locus/train/packed_samples.h"

namespace locus {
namespace {

constexpr int64_t kBatchTokens = 4096;

// The prediction of one target, from the logits of all classes.
Prediction predict(std::span<const float> logits, int32_t target) {
  const auto most = std::ranges::max_element(logits);
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - *most);
  return {.target = target,
          .predicted = static_cast<int32_t>(most - logits.begin()),
          .loss = std::log(total) + *most - logits[static_cast<size_t>(target)]};
}

// Logits [N, 2] over the tokens of a sample: start and end of the answer are each a softmax over them.
void predict_ends(std::span<const float> logits, const Sample& sample, std::vector<Prediction>& out) {
  std::vector<float> column(sample.ids.size());
  for (size_t end = 0; end < 2; ++end) {
    for (size_t i = 0; i < column.size(); ++i) column[i] = logits[2 * i + end];
    out.push_back(predict(column, sample.targets.at(end)));
    out.back().position = static_cast<int64_t>(end);
  }
}

double mean_f1(const std::vector<Prediction>& predictions) {
  struct Counts {
    int64_t right = 0, predicted = 0, expected = 0;
  };
  std::map<int32_t, Counts> labels;
  for (const Prediction& one : predictions) {
    ++labels[one.target].expected;
    ++labels[one.predicted].predicted;
    labels[one.predicted].right += one.predicted == one.target ? 1 : 0;
  }
  double sum = 0;
  for (const auto& [label, counts] : labels) {
    sum += 2.0 * static_cast<double>(counts.right) / static_cast<double>(counts.predicted + counts.expected);
  }
  return sum / static_cast<double>(labels.size());
}

// The share of samples without a wrong prediction.
double all_right(const std::vector<Prediction>& predictions) {
  std::map<int64_t, bool> samples;
  for (const Prediction& one : predictions) {
    bool& right = samples.emplace(one.sample, true).first->second;
    right = right && one.predicted == one.target;
  }
  const auto right = std::ranges::count_if(samples, [](const auto& sample) { return sample.second; });
  return static_cast<double>(right) / static_cast<double>(samples.size());
}

}  // namespace

void each_batch(const Samples& samples,
                const std::function<void(const std::vector<Sample>& batch, int64_t first)>& f) {
  std::vector<Sample> batch;
  int64_t tokens = 0;
  for (int64_t i = 0; i < samples.size(); ++i) {
    batch.push_back(samples.at(i, 0));
    tokens += samples.length(i);
    const bool last = i + 1 == samples.size();
    if (!last && tokens + samples.length(i + 1) <= kBatchTokens) continue;
    f(batch, i + 1 - static_cast<int64_t>(batch.size()));
    batch.clear();
    tokens = 0;
  }
}

std::vector<Prediction> predictions(const Model& model, const Samples& samples) {
  const NoGrad guard;
  std::vector<Prediction> all;
  const HeadKind head = model.blueprint().head;
  each_batch(samples, [&](const std::vector<Sample>& batch, int64_t number) {
    const Tensor logits = logits_of(model, pack(batch, model.blueprint())).value();
    const std::vector<float> values = logits.values();
    const auto width = static_cast<size_t>(logits.shape().cols());
    size_t row = 0;
    for (const Sample& sample : batch) {
      const size_t first = all.size();
      const auto left = std::span(values).subspan(row * width);
      if (head == HeadKind::answer) {
        predict_ends(left, sample, all);
        row += sample.ids.size();
      } else {
        for (size_t i = 0; i < sample.targets.size(); ++i) {
          if (sample.targets[i] == kernel::kIgnoredTarget) continue;
          all.push_back(predict(left.subspan(i * width, width), sample.targets[i]));
          all.back().position = static_cast<int64_t>(i);
        }
        row += sample.targets.size();
      }
      for (size_t i = first; i < all.size(); ++i) {
        all[i].sample = number;
        all[i].length = static_cast<int64_t>(sample.text.empty() ? sample.ids.size() : sample.text.size());
      }
      ++number;
    }
  });
  require(!all.empty(), "{}: no sample has a target, expected at least one", samples.name());
  return all;
}

std::vector<NamedNumber> summary(const Blueprint& blueprint, const std::vector<Prediction>& predictions) {
  const auto count = static_cast<double>(predictions.size());
  double loss = 0;
  for (const Prediction& one : predictions) loss += one.loss / count;
  const auto right = static_cast<double>(
      std::ranges::count_if(predictions, [](const Prediction& one) { return one.predicted == one.target; }));
  const HeadKind head = blueprint.head;
  std::vector<NamedNumber> numbers = {
      {"loss", loss}, {"accuracy", head == HeadKind::answer ? all_right(predictions) : right / count}};
  if (predicts_tokens(head)) {
    numbers.emplace_back("perplexity", std::exp(loss));
  }
  if (blueprint.kind == ModelKind::encoder_decoder && head == HeadKind::next_token) {
    numbers.emplace_back("exact_match", all_right(predictions));
  }
  if (head == HeadKind::sequence_class || head == HeadKind::token_class) {
    numbers.emplace_back("f1", mean_f1(predictions));
  }
  return numbers;
}

}  // namespace locus
