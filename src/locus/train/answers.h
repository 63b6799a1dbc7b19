// Extractive question answering (the answer is a span of a context): questions to samples, logits to text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "locus/run/text_task.h"
#include "locus/tensor/tensor.h"
#include "locus/text/encoding.h"
#include "locus/text/task_file.h"
#include "locus/train/samples.h"

namespace locus {

// The tokens of the question and its context, with special tokens and byte offsets, truncated if the task
// truncates.
Encoding read_question(const Question& question, const TextTask& task);
// The same tokens as a sample, with segments if the model has more than one. The targets are the first and
// the last token of the first answer. Both are token 0 if there is no answer, or if truncation removed it.
Sample question_sample(const Question& question, const TextTask& task);

// The most likely answer by these start and end logits [L, 2], as bytes of the context. Start and end are
// both in the context, and start <= end. Returns nothing if token 0 ("no answer") is more likely.
std::optional<TextSpan> best_answer(const Tensor& logits, const Encoding& encoding);

// How well an answer matches the best expected one, by the SQuAD rules (Rajpurkar et al. 2016, arXiv
// 1606.05250): case, punctuation and articles are ignored.
struct AnswerScore {
  bool exact = false;
  double f1 = 0;  // over words
};
AnswerScore score_answer(std::string_view answer, const std::vector<Answer>& expected);

}  // namespace locus
