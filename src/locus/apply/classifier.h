// Classifies texts or pairs of texts. The scores match the pipeline of transformers:
//   softmax(logits)   by default
//   sigmoid(logits)   if there is one class, or a text may have several classes
//   logits            for regression
#pragma once

#include <algorithm>

#include "locus/apply/reading.h"

namespace locus {

struct Classification {
  std::vector<double> scores;  // one per class; empty if the text is invalid (see ReadOptions::on_bad)
  size_t best = 0;             // the class with the highest score

  Classification() = default;
  explicit Classification(std::vector<double> all)
      : scores(std::move(all)),
        best(static_cast<size_t>(std::ranges::max_element(scores) - scores.begin())) {}
};

class Classifier {
 public:
  explicit Classifier(const std::filesystem::path& folder, DType weights = DType::f32,
                      Device device = Device::cpu);
  explicit Classifier(TextModel model);

  const TextModel& model() const { return model_; }
  const std::vector<std::string>& labels() const { return model_.labels(); }

  std::vector<Classification> classify(ListView<TextInput> inputs, const ReadOptions& options = {}) const;
  // One logit per class for each input; empty if the text is invalid.
  std::vector<std::vector<float>> logits(ListView<TextInput> inputs, const ReadOptions& options = {}) const;

 private:
  enum class Scores { softmax, sigmoid, logits };
  Encoding read(const TextInput& input, bool truncate) const;
  TextRows compute(const Tokens& texts) const;  // logits, one row per text
  std::vector<double> scores_of(std::span<const float> logits) const;

  TextModel model_;
  Scores scores_ = Scores::softmax;
};

}  // namespace locus
