#include "locus/train/answers.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

// The token that byte `offset` of a text lies in.
int32_t token_at(const std::vector<int32_t>& ids, const Tokenizer& tokenizer, size_t offset) {
  size_t end = 0, i = 0;
  for (; i < ids.size(); ++i) {
    end += tokenizer.bytes(ids[i]).size();
    if (offset < end) break;
  }
  return static_cast<int32_t>(i);
}

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isspace(byte)) {
      if (!words.back().empty()) words.emplace_back();
    } else if (!std::ispunct(byte)) {
      words.back() += static_cast<char>(std::tolower(byte));
    }
  }
  std::erase_if(words, [](const std::string& word) {
    return word.empty() || word == "a" || word == "an" || word == "the";
  });
  return words;
}

double f1_of(const std::vector<std::string>& said, const std::vector<std::string>& expected) {
  if (said.empty() || expected.empty()) return said.empty() && expected.empty() ? 1 : 0;
  std::map<std::string, int64_t> left;
  for (const std::string& word : expected) ++left[word];
  int64_t common = 0;
  for (const std::string& word : said) common += left[word]-- > 0 ? 1 : 0;
  return 2 * static_cast<double>(common) / static_cast<double>(said.size() + expected.size());
}

}  // namespace

Sample question_sample(const Question& question, const Tokenizer& tokenizer, int64_t segments) {
  Sample sample{.ids = tokenizer.encode(question.question)};
  sample.ids.insert(sample.ids.begin(), tokenizer.special(kStartToken));
  sample.ids.push_back(tokenizer.special(kEndToken));
  const auto first = static_cast<int32_t>(sample.ids.size());
  const std::vector<int32_t> context = tokenizer.encode(question.context);
  require(tokenizer.decode(context) == question.context,
          "the vocabulary cannot tell where an answer stands: it does not give back {}",
          quote(question.context));
  sample.ids.insert(sample.ids.end(), context.begin(), context.end());
  if (segments > 1) {
    sample.segments.assign(sample.ids.size(), 1);
    std::fill_n(sample.segments.begin(), first, 0);
  }
  sample.targets = {0, 0};
  if (!question.answers.empty()) {
    const Answer& answer = question.answers.front();
    sample.targets = {first + token_at(context, tokenizer, answer.begin),
                      first + token_at(context, tokenizer, answer.end - 1)};
  }
  return sample;
}

std::string best_answer(const Tensor& logits, const Sample& sample, const Tokenizer& tokenizer) {
  const std::vector<float> values = logits.values();
  const int32_t end_token = tokenizer.special(kEndToken);
  const auto context = static_cast<size_t>(std::ranges::find(sample.ids, end_token) - sample.ids.begin()) + 1;
  size_t start = context, first = 0, last = 0;
  float best = -std::numeric_limits<float>::infinity();
  for (size_t i = context; i < sample.ids.size(); ++i) {
    if (values[2 * i] > values[2 * start]) start = i;  // the best start up to here
    const float score = values[2 * start] + values[2 * i + 1];
    if (score > best) best = score, first = start, last = i + 1;
  }
  if (values[0] + values[1] > best) return "";
  return tokenizer.decode(std::span(sample.ids).subspan(first, last - first));
}

AnswerScore score_answer(std::string_view said, const std::vector<Answer>& expected) {
  const std::vector<std::string> words = plain_words(said);
  if (expected.empty()) return {.exact = words.empty(), .f1 = words.empty() ? 1.0 : 0.0};
  AnswerScore best;
  for (const Answer& answer : expected) {
    const std::vector<std::string> wanted = plain_words(answer.text);
    best.exact = best.exact || words == wanted;
    best.f1 = std::max(best.f1, f1_of(words, wanted));
  }
  return best;
}

}  // namespace locus
