// Token classification: finds labeled spans in texts. Every token gets a class; for a model trained by Locus,
// every word. Neighbors of the same class are joined as the pipeline of transformers does with one of its
// aggregation strategies. B-X begins a span of X, I-X and plain X continue it, and O is outside of all spans.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

// The aggregation strategies of transformers. With `first`, `average` and `max`, the tokens of a word have
// one class: that of the first token, that of their mean probabilities, or that of the token with the largest
// one.
enum class Aggregation { none, simple, first, average, max };

struct TaggedSpan {
  std::string label;  // without B- or I-, unless the aggregation is `none`
  double score = 0;   // mean probability of its tokens, or of its words
  TextSpan bytes;     // in the original text
  size_t index = 0;   // of its first token
  int32_t token = 0;  // id of its first token
};

class Tagger {
 public:
  explicit Tagger(const std::filesystem::path& folder, DType weights = DType::f32,
                  Device device = Device::cpu);
  explicit Tagger(TextModel model);

  const TextModel& model() const { return model_; }

  // The spans of each text, in order. No spans for an invalid text (see ReadOptions::on_bad).
  std::vector<std::vector<TaggedSpan>> tag(ListView<std::string> texts, const ReadOptions& options = {},
                                           Aggregation aggregation = Aggregation::simple) const;

 private:
  TextRows compute(const Tokens& texts) const;  // logits, one row per token

  TextModel model_;
};

}  // namespace locus
