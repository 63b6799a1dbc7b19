// Token classification: finds labeled spans in texts. Every token gets a class; for a model trained by Locus,
// every word. Neighbors of the same class are joined as the pipeline of transformers does with
// aggregation_strategy="simple". B-X begins a span of X, I-X and plain X continue it, and O is outside of all
// spans.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct TaggedSpan {
  std::string label;  // without B- or I-
  double score = 0;   // mean probability of its tokens
  TextSpan bytes;     // in the original text
};

class Tagger {
 public:
  explicit Tagger(const std::filesystem::path& folder, DType weights = DType::f32);
  explicit Tagger(TextModel model);

  const TextModel& model() const { return model_; }

  // The spans of each text, in order. No spans for an invalid text (see ReadOptions::on_bad).
  std::vector<std::vector<TaggedSpan>> tag(ListView<std::string> texts,
                                           const ReadOptions& options = {}) const;

 private:
  TextRows compute(const Tokens& texts) const;  // logits, one row per token

  TextModel model_;
};

}  // namespace locus
