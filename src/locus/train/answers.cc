#include "locus/train/answers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/run/task_frame.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr int8_t kContext = 1;  // the second text of an encoding

Encoding read(const Question& question, const TextTask& task, size_t longest) {
  return frame_of(task).read({question.question, question.context}, *task.tokenizer,
                             {.unit = OffsetUnit::bytes, .longest = longest});
}

// The first and the last token of an answer, counted from the first token of the context.
std::pair<int64_t, int64_t> tokens_of(const Answer& answer, const Encoding& encoding) {
  int64_t first = -1, last = -1, place = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] != kContext) continue;
    const TextSpan span = encoding.offsets[i];
    if (span.begin < answer.end && answer.begin < span.end) {
      if (first < 0) first = place;
      last = place;
    }
    ++place;
  }
  require(first >= 0, "answer {} has no tokens in its context, expected at least one; the tokenizer drops it",
          quote(answer.text));
  return {first, last};
}

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> words(1);
  const std::string small = lowered(text);
  for (size_t i = 0; i < small.size();) {
    const Character character = character_at(small, i);
    const std::string_view letter = std::string_view(small).substr(i, character.length);
    if (class_of(character) == CharacterClass::space) {
      if (!words.back().empty()) words.emplace_back();
    } else if (character.code <= ' ' || character.code > '~' ||
               class_of(character) != CharacterClass::other) {
      words.back() += letter;  // only ASCII punctuation is removed
    }
    i += character.length;
  }
  std::erase_if(words, [](const std::string& word) {
    return word.empty() || word == "a" || word == "an" || word == "the";
  });
  return words;
}

double f1_of(const std::vector<std::string>& answer, const std::vector<std::string>& expected) {
  if (answer.empty() || expected.empty()) return answer.empty() && expected.empty() ? 1 : 0;
  std::map<std::string, int64_t> left;
  for (const std::string& word : expected) ++left[word];
  int64_t common = 0;
  for (const std::string& word : answer) common += left[word]-- > 0 ? 1 : 0;
  return 2 * static_cast<double>(common) / static_cast<double>(answer.size() + expected.size());
}

}  // namespace

Encoding read_question(const Question& question, const TextTask& task) {
  return read(question, task, task.longest());
}

Sample question_sample(const Question& question, const TextTask& task) {
  const Encoding whole = read(question, task, std::numeric_limits<size_t>::max());
  const Encoding encoding = whole.size() > task.longest() ? read_question(question, task) : whole;
  require(encoding.size() > 0, "question and context have no tokens, expected at least one");
  Sample sample{.ids = encoding.ids, .targets = {0, 0}};
  if (task.blueprint.embedding.segments > 1) sample.segments = encoding.segments;
  if (question.answers.empty()) return sample;
  const auto [first, last] = tokens_of(question.answers.front(), whole);
  if (last >= std::ranges::count(encoding.texts, kContext)) return sample;  // truncation removed the answer
  const int64_t begin = std::ranges::find(encoding.texts, kContext) - encoding.texts.begin();
  sample.targets = {static_cast<int32_t>(begin + first), static_cast<int32_t>(begin + last)};
  return sample;
}

std::optional<TextSpan> best_answer(const Tensor& logits, const Encoding& encoding) {
  const std::vector<float> values = logits.values();
  std::optional<size_t> start;  // the best start among the tokens so far
  TextSpan answer;
  float best = -std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] != kContext) continue;
    if (!start || values[2 * i] > values[2 * *start]) start = i;
    const float score = values[2 * *start] + values[2 * i + 1];
    if (score <= best) continue;
    best = score;
    answer = {encoding.offsets[*start].begin, encoding.offsets[i].end};
  }
  if (!start || values[0] + values[1] > best) return std::nullopt;
  return answer;
}

AnswerScore score_answer(std::string_view answer, const std::vector<Answer>& expected) {
  const std::vector<std::string> words = plain_words(answer);
  if (expected.empty()) return {.exact = words.empty(), .f1 = words.empty() ? 1.0 : 0.0};
  AnswerScore best;
  for (const Answer& one : expected) {
    const std::vector<std::string> wanted = plain_words(one.text);
    best.exact = best.exact || words == wanted;
    best.f1 = std::max(best.f1, f1_of(words, wanted));
  }
  return best;
}

}  // namespace locus
