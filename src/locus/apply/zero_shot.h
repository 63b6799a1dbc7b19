// Zero-shot classification with a natural language inference model. Every label becomes a hypothesis, such as
// "This example is sport.", and the most entailed hypothesis wins. The scores match the pipeline of
// transformers: a softmax over the entailment logits of all labels; for a single label, a softmax over its
// entailment and contradiction logits. Yin, Hay, Roth 2019, arXiv 1909.00161.
#pragma once

#include "locus/apply/classifier.h"

namespace locus {

class ZeroShot {
 public:
  static constexpr const char* kHypothesis = "This example is {}.";

  // {} in the hypothesis is replaced by the label. The classifier must outlive this object.
  ZeroShot(const Classifier& classifier, std::vector<std::string> labels,
           const std::string& hypothesis = kHypothesis);

  const std::vector<std::string>& labels() const { return labels_; }

  std::vector<Classification> classify(ListView<std::string> texts, const ReadOptions& options = {}) const;

 private:
  const Classifier& classifier_;
  std::vector<std::string> labels_, hypotheses_;
  size_t entailment_ = 0, contradiction_ = 0;  // class indices of the classifier
};

}  // namespace locus
