// Texts to labelled spans: every token, or every word where a run learned words, has a class, and neighbours
// of one class are joined as transformers' pipeline does with aggregation_strategy="simple". B-X begins a
// span of X, I-X and a plain X go on with one; O is no span.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct TaggedSpan {
  std::string label;  // without B- or I-
  double score = 0;   // the mean of its tokens' probabilities
  TextSpan bytes;     // in the original text
};

class Tagger {
 public:
  explicit Tagger(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }

  // The spans of every text, in order; none for a text that could not be read.
  std::vector<std::vector<TaggedSpan>> tag(std::span<const std::string> texts,
                                           const ReadOptions& options = {}) const;

 private:
  TextModel model_;
};

}  // namespace locus
