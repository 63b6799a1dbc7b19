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
#include "locus/report/explanation.h"
#include "locus/report/scheme_card.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

struct ExplainRequest {
  std::string sentence{report::kSentence}, scheme = "learned", folder, word, out;
  bool causal = false, json = false;
};

report::Explanation explained(const ExplainRequest& request) {
  const std::string word = report::word_to_explain(request.sentence, request.word);
  if (request.folder.empty()) {
    return report::explain_untrained(request.sentence, word, request.scheme, request.causal);
  }
  const TextModel model(request.folder);
  note_model(model.trained());
  return report::explain_trained(model, request.sentence, word);
}

std::string as_json(const ExplainRequest& request, const report::Explanation& explained) {
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

void explain(const ExplainRequest& request) {
  require(is_utf8(request.word), "--word is not valid UTF-8");
  const report::Explanation found = explained(request);
  if (!request.out.empty()) write_file(request.out, report::explanation_page(found));
  if (request.json) return print(as_json(request, found));
  std::string text = fmt::format("\"{}\"\nModel: {}.\n\n", request.sentence, found.model);
  for (const std::string& sentence : report::sentences(found.word)) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  text += "\nlayer   cosine of the two vectors\n";
  for (size_t i = 0; i < found.word.states.size(); ++i) {
    text += fmt::format("{:5}   {:.6f}{}\n", i, found.word.states[i], i == 0 ? "   (the input)" : "");
  }
  if (!request.out.empty()) text += fmt::format("\nPage: {}\n", request.out);
  print(text);
}

}  // namespace

void add_explain(CLI::App& program) {
  const auto request = std::make_shared<ExplainRequest>();
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
