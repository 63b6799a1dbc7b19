// Questions whose answer is a part of a context: from their files to samples, and from logits back to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/tensor/tensor.h"
#include "locus/text/task_file.h"
#include "locus/text/tokenizer.h"
#include "locus/train/samples.h"

namespace locus {

// <s> question </s> context, of segments 0 and 1 where the model knows two; the targets are the first and the
// last token of the first answer, or <s> twice when there is none.
Sample question_sample(const Question& question, const Tokenizer& tokenizer, int64_t segments);

// The likeliest answer in a sample with these logits [L, 2] of start and end: the text of the tokens from one
// to the other, both in the context and in this order; nothing when <s> is likelier.
std::string best_answer(const Tensor& logits, const Sample& sample, const Tokenizer& tokenizer);

// How well an answer fits the best of those expected, as SQuAD counts (Rajpurkar et al. 2016, arXiv
// 1606.05250): capital letters, punctuation and articles do not count.
struct AnswerScore {
  bool exact = false;
  double f1 = 0;  // over words
};
AnswerScore score_answer(std::string_view said, const std::vector<Answer>& expected);

}  // namespace locus
