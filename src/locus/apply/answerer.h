// Extractive question answering: the answer is a span of a context. A long context is read in overlapping
// windows. In each window
//   score(first, last) = P(start = first) P(end = last)
// where the softmax covers the context and the first token, which means "no answer". The answer is the best
// span of all windows, unless the lowest "no answer" score of any window is higher. This matches the
// question-answering pipeline of transformers 4 with handle_impossible_answer.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct QuestionInput {
  std::string question, context;
};

struct FoundAnswer {
  bool found = false;  // false: the context does not contain the answer
  double score = 0;    // of the span, or of "no answer"
  TextSpan bytes;      // of the answer in the context
};

struct AnswerOptions {
  int64_t window = 384;   // most tokens of a window with its question; limited by the model's context
  int64_t overlap = 128;  // context tokens that neighboring windows share; at most half of a window's
  int64_t longest = 15;   // most tokens of an answer
};

class Answerer {
 public:
  explicit Answerer(const std::filesystem::path& folder, DType weights = DType::f32,
                    Device device = Device::cpu);
  explicit Answerer(TextModel model);

  const TextModel& model() const { return model_; }

  // Answers in the order of the questions. A question that leaves no room for context is an error: `truncate`
  // does not cut questions.
  std::vector<FoundAnswer> answer(ListView<QuestionInput> questions, const AnswerOptions& answer = {},
                                  const ReadOptions& options = {}) const;

 private:
  TextRows compute(const Tokens& texts) const;  // logits, one row per token

  TextModel model_;
};

}  // namespace locus
