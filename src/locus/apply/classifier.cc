#include "locus/apply/classifier.h"

#include <algorithm>
#include <cmath>

#include "locus/nn/sampling.h"
#include "locus/run/task_frame.h"

namespace locus {
namespace {

std::string problem_of(const Config& config) {
  constexpr std::string_view kSingle = "single_label_classification";
  const std::string problem = config.text("problem_type", kSingle);
  if (problem != "regression" && problem != kSingle && problem != "multi_label_classification") {
    config.refuse("problem_type", "expected regression, {} or multi_label_classification", kSingle);
  }
  return problem;
}

}  // namespace

Classifier::Classifier(const std::filesystem::path& folder, DType weights, Device device)
    : Classifier(TextModel(folder, weights, device)) {}
Classifier::Classifier(TextModel model) : model_(std::move(model)) {
  model_.require_head(HeadKind::sequence_class, "classify texts");
  const std::string problem = model_.hub() ? problem_of(model_.hub()->config) : "";
  if (problem == "regression") {
    scores_ = Scores::logits;
  } else if (problem == "multi_label_classification" || labels().size() == 1) {
    scores_ = Scores::sigmoid;
  }
}

// With last-token pooling, makes sure that the last token is the one that transformers pools.
Encoding Classifier::read(const TextInput& input, bool truncate) const {
  Encoding encoding = model_.read(input, truncate, Specials::are_text, OffsetUnit::none);
  const Blueprint& b = model_.blueprint();
  drop_padding(encoding, model_.task());
  if (!model_.hub() || b.head.pooling != Pooling::last || b.kind == ModelKind::decoder) return encoding;
  const int32_t end = token_of(model_.hub()->config, "eos_token_id", b.vocabulary);
  require(encoding.ids.back() == end,
          "the last token of the text is {}, expected eos_token_id of config.json, {}", encoding.ids.back(),
          end);
  return encoding;
}

std::vector<double> Classifier::scores_of(std::span<const float> logits) const {
  if (scores_ == Scores::softmax) return probabilities(logits);
  std::vector<double> scores(logits.begin(), logits.end());
  if (scores_ == Scores::logits) return scores;
  for (double& score : scores) score = 1 / (1 + std::exp(-score));
  return scores;
}

TextRows Classifier::compute(const Tokens& texts) const { return rows_of_texts(model_(texts).value()); }

std::vector<std::vector<float>> Classifier::logits(ListView<TextInput> inputs,
                                                   const ReadOptions& options) const {
  const std::vector<Encoding> encodings =
      encode_each(inputs.size(), options, [&](size_t i) { return read(inputs[i], options.truncate); });
  std::vector<std::vector<float>> result(inputs.size());
  read_batches(model_, encodings, options, TextPass::of<&Classifier::compute>(*this),
               [&](size_t text, std::span<const float> own) { result[text].assign(own.begin(), own.end()); });
  return result;
}

std::vector<Classification> Classifier::classify(ListView<TextInput> inputs,
                                                 const ReadOptions& options) const {
  const std::vector<std::vector<float>> found = logits(inputs, options);
  std::vector<Classification> result(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!found[i].empty()) result[i] = Classification(scores_of(found[i]));
  }
  return result;
}

}  // namespace locus
