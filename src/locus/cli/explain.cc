// locus explain: what tells the two occurrences of a word apart.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/report/page.h"
#include "locus/report/scheme_card.h"
#include "locus/report/twice.h"

namespace locus::cli {
namespace {

struct Request {
  std::string sentence{report::kSentence}, scheme = "learned", word, out;
  bool causal = false, json = false;
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
  b.deviation = 0.1f;  // wide enough that layers do something
  return Model(b, {.seed = 1});
}

std::string as_page(const Request& request, const report::Twice& twice) {
  report::Page page(fmt::format("One word, two places: {}", request.scheme));
  page.lead(fmt::format("\"{}\"", request.sentence));
  page.list(report::in_words(twice));
  page.figures(report::figures(twice));
  page.figures(std::vector{report::attention_figure(
      twice.weights.back(), "Attention of the last layer",
      fmt::format("Token {} and token {} are the two occurrences.", twice.first + 1, twice.second + 1))});
  return page.html();
}

std::string as_json(const Request& request, const report::Twice& twice) {
  std::vector<std::string_view> words(twice.words.begin(), twice.words.end());
  return json::lines({{"sentence", json::text(request.sentence)},
                      {"scheme", json::text(request.scheme)},
                      {"tokens", json::texts(words)},
                      {"first", json::number(twice.first)},
                      {"second", json::number(twice.second)},
                      {"token_cosine", json::number(twice.tokens)},
                      {"state_cosines", json::numbers(twice.states)}}) +
         "\n";
}

void explain(const Request& request) {
  const std::vector<std::string> words = report::words_of(request.sentence);
  if (words.empty()) fail(Fault::data, "explain: the sentence has no word");
  std::string word = request.word;
  if (word.empty() && std::ranges::count(words, "it") > 1) word = "it";  // the documents' own example
  const auto [first, second] = report::find_twice(words, word);
  const std::vector<int32_t> ids = report::number_words(words);
  const Model model = untrained(request, std::ranges::max(ids) + 1, static_cast<int64_t>(ids.size()));
  const report::Twice twice = report::look_twice(model, ids, words, first, second);
  if (!request.out.empty()) {
    AtomicFile file(request.out);
    file.write(as_page(request, twice));
    file.commit();
  }
  if (request.json) return print(as_json(request, twice));
  std::string text = fmt::format("\"{}\"\nScheme {}, a small {} that has learned nothing yet.\n\n",
                                 request.sentence, request.scheme, request.causal ? "decoder" : "encoder");
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
  CLI::App* const command =
      program.add_subcommand("explain", "What tells two occurrences of a word apart, layer by layer");
  command->add_option("sentence", request->sentence, "in which a word occurs twice")->capture_default_str();
  command->add_option("--scheme", request->scheme, "the position scheme of the model")->capture_default_str();
  command->add_option("--word", request->word,
                      "which word; by default 'it', or the one said again after the longest");
  command->add_option("--out", request->out, "an HTML page with pictures");
  command->add_flag("--causal", request->causal, "a decoder, which sees only what came before");
  command->add_flag("--json", request->json, "print numbers as JSON");
  command->footer(
      "Example:\n  locus explain --scheme none     without position the two stay equal, cosine 1\n"
      "  locus explain --scheme rotary --out it.html\n");
  command->callback([request] { explain(*request); });
}

}  // namespace locus::cli
