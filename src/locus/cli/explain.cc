// locus explain: what tells the two occurrences of a word apart.
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
#include "locus/report/scheme_card.h"
#include "locus/report/twice.h"
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
  std::vector<std::string> words;  // the tokens' own spelling
  int64_t first = 0, second = 0;
  std::string name;
};

// A small model that has learned nothing yet: what is seen is the scheme's doing.
Model untrained(const Request& request, int32_t vocabulary, int64_t length) {
  Blueprint b;
  b.kind = request.causal ? ModelKind::decoder : ModelKind::encoder;
  b.head = HeadKind::none;
  b.vocabulary = vocabulary;
  b.width = 64;
  b.heads = 4;
  b.max_length = length;
  b.scheme = request.scheme;
  b.init_std = 0.1f;  // wide enough that layers do something
  return Model(b, {.seed = 1});
}

Subject untrained_subject(const Request& request, const std::vector<std::string>& words,
                          const std::string& word) {
  const auto [first, second] = report::find_twice(words, word);
  std::vector<int32_t> ids = report::number_words(words);
  Model model = untrained(request, std::ranges::max(ids) + 1, static_cast<int64_t>(ids.size()));
  return {std::move(model),
          std::move(ids),
          words,
          first,
          second,
          fmt::format("scheme {}, a small {} that has learned nothing yet", request.scheme,
                      request.causal ? "decoder" : "encoder")};
}

// The token a byte belongs to.
int64_t token_at(const Encoding& tokens, size_t byte) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.texts[i] == 0 && tokens.offsets[i].begin <= byte && byte < tokens.offsets[i].end) {
      return static_cast<int64_t>(i);
    }
  }
  fail(Fault::data, "explain: no token stands for byte {} of the sentence", byte);
}

Subject subject_of(const Request& request, Model model, const Tokenizer& tokenizer, const std::string& word) {
  const Encoding tokens = tokenizer.encoding(request.sentence, {.unit = OffsetUnit::bytes});
  const auto [first_place, second_place] = report::places_twice(request.sentence, word);
  Subject subject{std::move(model),
                  tokens.ids,
                  {},
                  token_at(tokens, first_place.end - 1),
                  token_at(tokens, second_place.end - 1),
                  fmt::format("the model in {}", request.folder)};
  for (const int32_t id : tokens.ids) subject.words.push_back(readable(tokenizer.bytes(id)));
  // A word of several tokens is looked at where it ends.
  const auto first = static_cast<size_t>(subject.first), second = static_cast<size_t>(subject.second);
  if (tokens.offsets[first].begin <= first_place.begin) {
    subject.words[first] = subject.words[second] = word;
  }
  require(subject.ids[first] == subject.ids[second],
          "explain: the two {} are not the same token for this model; say them in the same way", quote(word));
  return subject;
}

// A folder of the hub, or of a run of `locus train`.
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

std::string as_page(const Request& request, const Subject& subject, const report::Twice& twice) {
  report::Page page(fmt::format("One word, two places: {}", subject.name));
  page.lead(fmt::format("\"{}\"", request.sentence));
  page.list(report::in_words(twice));
  page.figures(report::figures(twice));
  page.figures(
      std::vector{report::attention_figure(twice.weights.back(), "Attention of the last layer",
                                           fmt::format("Positions {} and {} are the two occurrences: {}.",
                                                       twice.first, twice.second, numbered(twice.words)))});
  return page.html();
}

std::string as_json(const Request& request, const Subject& subject, const report::Twice& twice) {
  return json::lines({{"sentence", json::text(request.sentence)},
                      {"model", json::text(subject.name)},
                      {"scheme", json::text(subject.model.blueprint().scheme)},
                      {"tokens", json::texts(twice.words)},
                      {"first", json::number(twice.first)},
                      {"second", json::number(twice.second)},
                      {"token_cosine", json::number(twice.tokens)},
                      {"state_cosines", json::numbers(twice.states)}});
}

void explain(const Request& request) {
  require(is_utf8(request.sentence), "explain: the sentence is not valid UTF-8");
  require(is_utf8(request.word), "explain: --word is not valid UTF-8");
  const std::vector<std::string> words = report::words_of(request.sentence);
  if (words.empty()) fail(Fault::data, "explain: the sentence has no word");
  std::string word = lowered(request.word);
  if (word.empty() && std::ranges::count(words, "it") > 1)
    word = "it";  // the example of the documents and the report
  if (word.empty()) word = words[static_cast<size_t>(report::find_twice(words).first)];
  const Subject subject =
      request.folder.empty() ? untrained_subject(request, words, word) : trained_subject(request, word);
  const report::Twice twice =
      report::look_twice(subject.model, subject.ids, subject.words, subject.first, subject.second);
  if (!request.out.empty()) {
    write_file(request.out, as_page(request, subject, twice));
  }
  if (request.json) return print(as_json(request, subject, twice));
  std::string text = fmt::format("\"{}\"\nLooked at: {}.\n\n", request.sentence, subject.name);
  for (const std::string& sentence : report::in_words(twice)) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  text += "\nlayer   cosine of the two\n";
  for (size_t i = 0; i < twice.states.size(); ++i) {
    text += fmt::format("{:5}   {:.6f}{}\n", i, twice.states[i], i == 0 ? "   (the input)" : "");
  }
  if (!request.out.empty()) text += fmt::format("\n{}: the picture\n", request.out);
  print(text);
}

}  // namespace

void add_explain(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  Command command(program, "explain", "What tells two occurrences of a word apart, layer by layer");
  command.option("sentence", request->sentence, "In which a word occurs twice").shows_default();
  const Option scheme =
      command.option("--scheme", request->scheme, "The position scheme of an untrained model")
          .shows_default();
  command.option("--model", request->folder, "A trained model: a folder of locus train, or of the hub");
  command.option("--word", request->word,
                 "Which word, in letters of either case; by default 'it', or the one whose two places are "
                 "farthest apart");
  command.option("--out", request->out, "A page with pictures, .html").ends_in({".html"});
  command.flag("--causal", request->causal, "An untrained decoder, which sees only what came before");
  command.flag("--json", request->json, "Print numbers as JSON");
  command.footer(
      "Example:\n  locus explain --scheme none     without position the two stay equal, cosine 1\n"
      "  locus explain --scheme rotary --out it.html\n");
  command.callback([request, scheme] {
    if (!request->folder.empty() && (scheme.given() || request->causal)) {
      fail(Fault::usage,
           "explain: --model has a scheme and a kind of its own; leave out --scheme and --causal");
    }
    explain(*request);
  });
}

}  // namespace locus::cli
