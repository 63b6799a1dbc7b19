// locus explain: shows what separates two occurrences of a word.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "locus/apply/text_model.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/report/page.h"
#include "locus/report/repeated_word.h"
#include "locus/report/scheme_card.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

struct Request {
  std::string sentence{report::kSentence}, scheme = "learned", folder, word, out;
  bool causal = false, json = false;
};

// What a model makes of the two occurrences.
struct Explained {
  report::RepeatedWord word;
  std::string model, scheme;
};

// A small untrained model: all differences come from the scheme.
Model untrained(const Request& request, int32_t vocabulary, int64_t length) {
  Blueprint b;
  b.kind = request.causal ? ModelKind::decoder : ModelKind::encoder;
  b.head = HeadKind::none;
  b.vocabulary = vocabulary;
  b.width = 64;
  b.heads = 4;
  b.max_length = length;
  b.scheme = request.scheme;
  b.init_std = 0.1f;  // large enough for the layers to have an effect
  return Model(b, {.seed = 1});
}

Explained explain_untrained(const Request& request, const std::vector<std::string>& words,
                            const std::string& word) {
  const auto [first, second] = report::find_repeated(words, word);
  const std::vector<int32_t> ids = report::number_words(words);
  const Model model = untrained(request, std::ranges::max(ids) + 1, static_cast<int64_t>(ids.size()));
  const std::string& scheme = model.blueprint().scheme;
  return {report::compare_occurrences(model, ids, words, first, second),
          fmt::format("{}, untrained {}", scheme, request.causal ? "decoder" : "encoder"), scheme};
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

// From a Hugging Face model folder or a training run. The sentence has the special tokens of `classify` and
// the other commands for texts.
Explained explain_trained(const Request& request, const std::string& word) {
  const TextModel model(request.folder);
  note_model(model.trained());
  const Encoding tokens = model.read({request.sentence}, false);
  const auto [first_place, second_place] = report::find_repeated_spans(request.sentence, word);
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
  return {report::compare_occurrences(model.model(), tokens.ids, words, first, second),
          fmt::format("the model in {}", request.folder), model.blueprint().scheme};
}

std::string as_page(const Request& request, const Explained& explained) {
  const report::RepeatedWord& word = explained.word;
  report::Page page(fmt::format("One word, two positions: {}", explained.model));
  const std::vector<std::string> answer = {report::verdict(word)};
  page.verdict(answer, fmt::format("\"{}\"", request.sentence));
  page.list(report::sentences(word));
  page.figures(report::figures(word));
  page.figures(std::vector{report::attention_figure(
      word.weights.back(), "Attention of the last layer",
      fmt::format("One map per head. The two occurrences are at positions {} and {}, counted from 0.",
                  word.first, word.second),
      word.words)});
  return page.html();
}

std::string as_json(const Request& request, const Explained& explained) {
  const report::RepeatedWord& word = explained.word;
  return json::lines({{"sentence", json::text(request.sentence)},
                      {"model", json::text(explained.model)},
                      {"scheme", json::text(explained.scheme)},
                      {"tokens", json::texts(word.words)},
                      {"first", json::number(word.first)},
                      {"second", json::number(word.second)},
                      {"token_cosine", json::number(word.token_cosine)},
                      {"state_cosines", json::numbers(word.states)}});
}

void explain(const Request& request) {
  require(is_utf8(request.sentence), "the sentence is not valid UTF-8");
  require(is_utf8(request.word), "--word is not valid UTF-8");
  const std::vector<std::string> words = report::words_of(request.sentence);
  if (words.empty()) fail(Fault::data, "the sentence has no words");
  std::string word = lowered(request.word);
  if (word.empty() && std::ranges::count(words, "it") > 1)
    word = "it";  // as in the documentation and the report
  if (word.empty()) word = words[static_cast<size_t>(report::find_repeated(words).first)];
  const Explained explained =
      request.folder.empty() ? explain_untrained(request, words, word) : explain_trained(request, word);
  if (!request.out.empty()) write_file(request.out, as_page(request, explained));
  if (request.json) return print(as_json(request, explained));
  std::string text = fmt::format("\"{}\"\nModel: {}.\n\n", request.sentence, explained.model);
  for (const std::string& sentence : report::sentences(explained.word)) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  text += "\nlayer   cosine of the two vectors\n";
  for (size_t i = 0; i < explained.word.states.size(); ++i) {
    text += fmt::format("{:5}   {:.6f}{}\n", i, explained.word.states[i], i == 0 ? "   (the input)" : "");
  }
  if (!request.out.empty()) text += fmt::format("\nPage: {}\n", request.out);
  print(text);
}

}  // namespace

void add_explain(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  Command command(program, "explain",
                  "Show how a model distinguishes two occurrences of a word, layer by layer");
  command.option("SENTENCE", request->sentence, "A sentence with a repeated word").shows_default();
  const Option scheme =
      command.option("--scheme", request->scheme, "Position scheme of the untrained model").shows_default();
  command.option("--model", request->folder,
                 "A trained model instead: a Hugging Face model folder, a run, or a checkpoint of a run");
  command.option(
      "--word", request->word,
      "The repeated word, in upper or lower case [it, or the word whose occurrences are farthest apart]");
  command.option("--out", request->out, "Write an .html page with figures").ends_in({".html"});
  command.flag("--causal", request->causal, "Use an untrained decoder, which attends only to earlier tokens");
  command.flag("--json", request->json, "Print JSON");
  command.footer(
      "Example:\n  locus explain --scheme none     without positions the two vectors stay equal: cosine 1\n"
      "  locus explain --scheme rotary --out it.html\n");
  command.callback([request, scheme] {
    if (!request->folder.empty() && (scheme.given() || request->causal)) {
      fail(Fault::usage,
           "--scheme and --causal describe an untrained model and cannot be combined with --model");
    }
    explain(*request);
  });
}

}  // namespace locus::cli
