// Texts to classes that the model never learned, by one that tells whether a claim follows from a text: every
// class is a claim, "This example is sport.", and the one that follows best is the text's. Scores are as
// transformers' pipeline has them: softmax over the classes of the logits of entailment; of a single class,
// of its entailment against its contradiction. Yin, Hay, Roth 2019, arXiv 1909.00161.
#pragma once

#include "locus/apply/classifier.h"

namespace locus {

class ZeroShot {
 public:
  static constexpr const char* kClaim = "This example is {}.";

  // In the claim, {} stands for the class. The classifier must outlive it.
  ZeroShot(const Classifier& classifier, std::vector<std::string> labels, const std::string& claim = kClaim);

  const std::vector<std::string>& labels() const { return labels_; }

  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ReadOptions& options = {}) const;

 private:
  const Classifier& classifier_;
  std::vector<std::string> labels_, claims_;
  size_t follows_ = 0, contradicts_ = 0;  // classes of the classifier
};

}  // namespace locus
