#include "locus/report/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/base/quote.h"
#include "locus/report/page.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/readable.h"

namespace locus::report {
namespace {

// A small untrained model: all differences come from the scheme.
Model untrained(const std::string& scheme, bool causal, int32_t vocabulary, int64_t length) {
  Blueprint b;
  b.kind = causal ? ModelKind::decoder : ModelKind::encoder;
  b.head.kind = HeadKind::none;
  b.vocabulary = vocabulary;
  b.width = 64;
  b.attention.heads = 4;
  b.max_length = length;
  b.scheme = scheme;
  b.init_std = 0.1f;  // large enough for the layers to have an effect
  return Model(b, {.seed = 1});
}

// The token that covers a byte.
int64_t token_at(const Encoding& tokens, size_t byte) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.texts[i] == 0 && tokens.offsets[i].begin <= byte && byte < tokens.offsets[i].end) {
      return static_cast<int64_t>(i);
    }
  }
  fail(Fault::data, "byte {} of the sentence is in no token", byte);
}

}  // namespace

std::string word_to_explain(std::string_view sentence, std::string_view given) {
  require(is_utf8(sentence), "the sentence is not valid UTF-8");
  require(is_utf8(given), "the word to explain is not valid UTF-8");
  const std::vector<std::string> words = words_of(sentence);
  if (words.empty()) fail(Fault::data, "the sentence has no words");
  if (!given.empty()) return lowered(given);
  if (std::ranges::count(words, "it") > 1) return "it";  // as in the documentation and the report
  return words[static_cast<size_t>(find_repeated(words).first)];
}

Explanation explain_untrained(const std::string& sentence, const std::string& word, const std::string& scheme,
                              bool causal) {
  const std::vector<std::string> words = words_of(sentence);
  const auto [first, second] = find_repeated(words, word);
  const std::vector<int32_t> ids = number_words(words);
  const Model model = untrained(scheme, causal, std::ranges::max(ids) + 1, static_cast<int64_t>(ids.size()));
  const std::string& name = model.blueprint().scheme;
  return {sentence, compare_occurrences(model, ids, words, first, second),
          fmt::format("{}, untrained {}", name, causal ? "decoder" : "encoder"), name};
}

Explanation explain_trained(const TextModel& model, const std::string& sentence, const std::string& word) {
  const Encoding tokens = model.read({sentence}, false);
  const auto [first_place, second_place] = find_repeated_spans(sentence, word);
  const int64_t first = token_at(tokens, first_place.end - 1);
  const int64_t second = token_at(tokens, second_place.end - 1);
  std::vector<std::string> words;
  for (const int32_t id : tokens.ids) words.push_back(readable(model.tokenizer().bytes(id)));
  // A word of several tokens is represented by its last token.
  const auto i = static_cast<size_t>(first), j = static_cast<size_t>(second);
  if (tokens.offsets[i].begin <= first_place.begin) words[i] = words[j] = word;
  require(tokens.ids[i] == tokens.ids[j],
          "the two {} are different tokens of this model: got {} and {}, expected the same spelling",
          quote(word), tokens.ids[i], tokens.ids[j]);
  return {sentence, compare_occurrences(model.model(), tokens.ids, words, first, second),
          fmt::format("the model in {}", model.folder().string()), model.blueprint().scheme};
}

std::string explanation_page(const Explanation& explained) {
  const RepeatedWord& word = explained.word;
  Page page(fmt::format("One word, two positions: {}", explained.model));
  const std::vector<std::string> answer = {verdict(word)};
  page.verdict(answer, fmt::format("\"{}\"", explained.sentence));
  page.list(sentences(word));
  page.figures(figures(word));
  page.figures(std::vector{attention_figure(
      word.weights.back(), "Attention of the last layer",
      fmt::format("One map per head. The two occurrences are at positions {} and {}, counted from 0.",
                  word.first, word.second),
      word.words)});
  return page.html();
}

}  // namespace locus::report
