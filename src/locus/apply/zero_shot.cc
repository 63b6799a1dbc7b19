#include "locus/apply/zero_shot.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "locus/base/quote.h"
#include "locus/nn/sampling.h"

namespace locus {
namespace {

bool means_entailment(const std::string& label) {
  constexpr std::string_view kBeginning = "entail";
  return std::ranges::equal(std::string_view(label).substr(0, kBeginning.size()), kBeginning,
                            [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

ZeroShot::ZeroShot(const Classifier& classifier, std::vector<std::string> labels,
                   const std::string& hypothesis)
    : classifier_(classifier), labels_(std::move(labels)) {
  const std::vector<std::string>& known = classifier.labels();
  const auto found = std::ranges::find_if(known, means_entailment);
  require(found != known.end() && known.size() > 1, Code::wrong_head,
          "model in '{}' does not support zero-shot classification: its labels are {}, expected those of a "
          "natural language inference model, such as 'entailment'",
          classifier.model().folder().string(), fmt::join(known, ", "));
  entailment_ = static_cast<size_t>(found - known.begin());
  contradiction_ = entailment_ == 0 ? known.size() - 1 : 0;
  const size_t place = hypothesis.find("{}");
  if (place == std::string::npos) {
    fail(Fault::usage, "hypothesis is {}, expected {{}} in place of the label", quote(hypothesis));
  }
  for (const std::string& label : labels_)
    hypotheses_.push_back(hypothesis.substr(0, place) + label + hypothesis.substr(place + 2));
}

std::vector<Classification> ZeroShot::classify(ListView<std::string> texts,
                                               const ReadOptions& options) const {
  std::vector<TextInput> pairs;
  for (const std::string& text : texts) {
    for (const std::string& hypothesis : hypotheses_) pairs.push_back({text, hypothesis});
  }
  const std::vector<std::vector<float>> logits =
      classifier_.logits(pairs, in_groups(options, "text", hypotheses_.size()));
  std::vector<Classification> result(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto own = std::span(logits).subspan(i * hypotheses_.size(), hypotheses_.size());
    if (std::ranges::any_of(own, [](const auto& found) { return found.empty(); })) continue;
    std::vector<float> entailments;
    for (const std::vector<float>& found : own) entailments.push_back(found[entailment_]);
    if (own.size() == 1) entailments.push_back(own[0][contradiction_]);
    std::vector<double> scores = probabilities(entailments);
    scores.resize(own.size());
    result[i] = Classification(std::move(scores));
  }
  return result;
}

}  // namespace locus
