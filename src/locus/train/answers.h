// Questions whose answer is a part of a context: from their files to samples, and from logits back to text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "locus/tensor/tensor.h"
#include "locus/text/encoding.h"
#include "locus/text/task_file.h"
#include "locus/train/samples.h"
#include "locus/train/text_task.h"

namespace locus {

// The question and its context in their frame, with offsets in bytes, as the task cuts them.
Encoding read_question(const Question& question, const TextTask& task);
// The same as a sample, with segments where the model knows several; the targets are the first and the last
// token of the first answer, or the first token of all twice when there is none, or it is cut off.
Sample question_sample(const Question& question, const TextTask& task);

// The likeliest answer by these logits [L, 2] of start and end, as bytes of the context: the tokens from one
// to the other, both in the context and in this order; nothing when the first token of all is likelier.
std::optional<TextSpan> best_answer(const Tensor& logits, const Encoding& encoding);

// How well an answer fits the best of those expected, as SQuAD counts (Rajpurkar et al. 2016, arXiv
// 1606.05250): capital letters, punctuation and articles do not count.
struct AnswerScore {
  bool exact = false;
  double f1 = 0;  // over words
};
AnswerScore score_answer(std::string_view said, const std::vector<Answer>& expected);

}  // namespace locus
