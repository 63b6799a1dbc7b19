#include "locus/apply/zero_shot.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "locus/base/quote.h"
#include "locus/nn/sampling.h"

namespace locus {
namespace {

bool says_entailment(const std::string& label) {
  constexpr std::string_view kBeginning = "entail";
  return std::ranges::equal(std::string_view(label).substr(0, kBeginning.size()), kBeginning,
                            [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

ZeroShot::ZeroShot(const Classifier& classifier, std::vector<std::string> labels, const std::string& claim)
    : classifier_(classifier), labels_(std::move(labels)) {
  const std::vector<std::string>& known = classifier.labels();
  const auto found = std::ranges::find_if(known, says_entailment);
  require(found != known.end() && known.size() > 1,
          "'{}': its labels are {}, expected one that begins with entail, and another: a model that tells "
          "whether a claim follows from a text",
          classifier.model().folder().string(), fmt::join(known, ", "));
  follows_ = static_cast<size_t>(found - known.begin());
  contradicts_ = follows_ == 0 ? known.size() - 1 : 0;
  const size_t place = claim.find("{}");
  if (place == std::string::npos) {
    fail(Fault::usage, "the claim is {}, expected {{}} in it, where a label stands", quote(claim));
  }
  for (const std::string& label : labels_)
    claims_.push_back(claim.substr(0, place) + label + claim.substr(place + 2));
}

std::vector<Classification> ZeroShot::classify(std::span<const std::string> texts,
                                               const ReadOptions& options) const {
  std::vector<TextInput> pairs;
  for (const std::string& text : texts) {
    for (const std::string& claim : claims_) pairs.push_back({text, claim});
  }
  const std::vector<std::vector<float>> logits =
      classifier_.logits(pairs, in_groups(options, "text", claims_.size()));
  std::vector<Classification> result(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto own = std::span(logits).subspan(i * claims_.size(), claims_.size());
    if (std::ranges::any_of(own, [](const auto& found) { return found.empty(); })) continue;
    std::vector<float> follows;
    for (const std::vector<float>& found : own) follows.push_back(found[follows_]);
    if (own.size() == 1) follows.push_back(own[0][contradicts_]);
    std::vector<double> scores = probabilities(follows);
    scores.resize(own.size());
    result[i] = Classification(std::move(scores));
  }
  return result;
}

}  // namespace locus
