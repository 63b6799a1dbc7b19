// Questions answered by a part of a context. A long context is read in windows that overlap; in each window
//   score(first, last) = P(start = first) P(end = last)
// over the context and the first token, on which a model puts what is not answered. The best span of all
// windows is the answer, unless the first token scores higher even in the window where it scores lowest; so
// does the question-answering pipeline of transformers 4 with handle_impossible_answer.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct AskedText {
  std::string question, context;
};

struct FoundAnswer {
  bool found = false;  // false: the context does not say
  double score = 0;    // of the span, or of there being none
  TextSpan bytes;      // in the context
};

struct AnswerOptions {
  int64_t window = 384;   // tokens of a window with its question, or as many as the model takes
  int64_t overlap = 128;  // tokens of the context that two windows share; at most half of them
  int64_t longest = 15;   // tokens of an answer
};

class Answerer {
 public:
  explicit Answerer(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }

  // In order. A question that leaves no room for context is too long; `truncate` does not cut it.
  std::vector<FoundAnswer> answer(std::span<const AskedText> asked, const AnswerOptions& answer = {},
                                  const ReadOptions& options = {}) const;

 private:
  TextModel model_;
};

}  // namespace locus
