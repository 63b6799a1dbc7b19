// locus explain: shows what separates two occurrences of a word.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/report/page.h"
#include "locus/report/repeated_word.h"
#include "locus/report/scheme_card.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/readable.h"
#include "locus/text/tokenizer.h"
#include "locus/train/saved_run.h"

namespace locus::cli {
namespace {

struct Request {
  std::string sentence{report::kSentence}, scheme = "learned", folder, word, out;
  bool causal = false, json = false;
};

// A model, and the sentence as its tokens.
struct Subject {
  Model model;
  std::vector<int32_t> ids;
  std::vector<std::string> words;  // the text of each token
  int64_t first = 0, second = 0;
  std::string name;
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

Subject untrained_subject(const Request& request, const std::vector<std::string>& words,
                          const std::string& word) {
  const auto [first, second] = report::find_repeated(words, word);
  std::vector<int32_t> ids = report::number_words(words);
  Model model = untrained(request, std::ranges::max(ids) + 1, static_cast<int64_t>(ids.size()));
  return {std::move(model),
          std::move(ids),
          words,
          first,
          second,
          fmt::format("{}, untrained {}", request.scheme, request.causal ? "decoder" : "encoder")};
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

Subject subject_of(const Request& request, Model model, const Tokenizer& tokenizer, const std::string& word) {
  const Encoding tokens = tokenizer.encoding(request.sentence, {.unit = OffsetUnit::bytes});
  const auto [first_place, second_place] = report::find_repeated_spans(request.sentence, word);
  Subject subject{std::move(model),
                  tokens.ids,
                  {},
                  token_at(tokens, first_place.end - 1),
                  token_at(tokens, second_place.end - 1),
                  fmt::format("the model in {}", request.folder)};
  for (const int32_t id : tokens.ids) subject.words.push_back(readable(tokenizer.bytes(id)));
  // A word of several tokens is represented by its last token.
  const auto first = static_cast<size_t>(subject.first), second = static_cast<size_t>(subject.second);
  if (tokens.offsets[first].begin <= first_place.begin) {
    subject.words[first] = subject.words[second] = word;
  }
  require(subject.ids[first] == subject.ids[second],
          "the two {} are different tokens of this model: got {} and {}, expected the same spelling",
          quote(word), subject.ids[first], subject.ids[second]);
  return subject;
}

// From a Hugging Face model folder or a training run.
Subject trained_subject(const Request& request, const std::string& word) {
  if (is_run(request.folder)) {
    SavedRun run = load_run(request.folder);
    warn(run.warnings);
    return subject_of(request, std::move(run.model), *run.task.tokenizer, word);
  }
  ModelFolder folder = open_model(request.folder);
  warn(folder.warnings);
  return subject_of(request, std::move(folder.model), *load_tokenizer(request.folder), word);
}

// "0 the \u00b7 1 dog \u00b7 .."
std::string numbered(const std::vector<std::string>& words) {
  std::vector<std::string> list;
  for (size_t i = 0; i < words.size(); ++i) list.push_back(fmt::format("{} {}", i, words[i]));
  return fmt::format("{}", fmt::join(list, " \u00b7 "));
}

std::string as_page(const Request& request, const Subject& subject, const report::RepeatedWord& word) {
  report::Page page(fmt::format("One word, two positions: {}", subject.name));
  const std::vector<std::string> answer = {report::verdict(word)};
  page.verdict(answer, fmt::format("\"{}\"", request.sentence));
  page.list(report::sentences(word));
  page.figures(report::figures(word));
  page.figures(
      std::vector{report::attention_figure(word.weights.back(), "Attention of the last layer",
                                           fmt::format("Positions {} and {} are the two occurrences: {}.",
                                                       word.first, word.second, numbered(word.words)))});
  return page.html();
}

std::string as_json(const Request& request, const Subject& subject, const report::RepeatedWord& word) {
  return json::lines({{"sentence", json::text(request.sentence)},
                      {"model", json::text(subject.name)},
                      {"scheme", json::text(subject.model.blueprint().scheme)},
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
  const Subject subject =
      request.folder.empty() ? untrained_subject(request, words, word) : trained_subject(request, word);
  const report::RepeatedWord repeated =
      report::compare_occurrences(subject.model, subject.ids, subject.words, subject.first, subject.second);
  if (!request.out.empty()) {
    write_file(request.out, as_page(request, subject, repeated));
  }
  if (request.json) return print(as_json(request, subject, repeated));
  std::string text = fmt::format("\"{}\"\nModel: {}.\n\n", request.sentence, subject.name);
  for (const std::string& sentence : report::sentences(repeated)) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  text += "\nlayer   cosine of the two vectors\n";
  for (size_t i = 0; i < repeated.states.size(); ++i) {
    text += fmt::format("{:5}   {:.6f}{}\n", i, repeated.states[i], i == 0 ? "   (the input)" : "");
  }
  if (!request.out.empty()) text += fmt::format("\nPage: {}\n", request.out);
  print(text);
}

}  // namespace

void add_explain(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  Command command(program, "explain", "Show what separates two occurrences of a word, layer by layer");
  command.option("sentence", request->sentence, "A sentence with a repeated word").shows_default();
  const Option scheme =
      command.option("--scheme", request->scheme, "Position scheme of the untrained model").shows_default();
  command.option("--model", request->folder,
                 "A trained model instead: a Hugging Face model folder or a training run");
  command.option("--word", request->word,
                 "The repeated word, in any case [it, or the word whose occurrences are farthest apart]");
  command.option("--out", request->out, "Write a page with figures, .html").ends_in({".html"});
  command.flag("--causal", request->causal, "Use an untrained decoder, which attends only to earlier tokens");
  command.flag("--json", request->json, "Print JSON");
  command.footer(
      "Example:\n  locus explain --scheme none     without position the two vectors stay equal, cosine 1\n"
      "  locus explain --scheme rotary --out it.html\n");
  command.callback([request, scheme] {
    if (!request->folder.empty() && (scheme.given() || request->causal)) {
      fail(Fault::usage, "--scheme and --causal apply to untrained models, expected neither with --model");
    }
    explain(*request);
  });
}

}  // namespace locus::cli
