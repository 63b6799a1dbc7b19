// locus classify: predicts the class of every text or pair of texts.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "locus/apply/result_json.h"
#include "locus/apply/zero_shot.h"
#include "locus/base/quote.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct ClassifyRequest : TextRequest {
  bool pairs = false;
  std::vector<std::string> labels;
  std::string claim = ZeroShot::kHypothesis;
};

std::string line_of(const Record& record, const Classification& one, const std::vector<std::string>& labels) {
  std::string text = one_line(record.text);
  if (record.second) text += "\t" + one_line(*record.second);
  return fmt::format("{:.4f}\t{}\t{}\n", one.scores[one.best], column(labels[one.best]), text);
}

// Labels are keys of the JSON output, so they must be distinct.
void check_labels(const std::vector<std::string>& labels) {
  std::set<std::string> seen;
  for (const std::string& label : labels) {
    if (label.empty()) fail(Fault::usage, "classify: got an empty --label, expected the name of a class");
    if (!seen.insert(label).second) fail(Fault::usage, "classify: --label {} was given twice", quote(label));
  }
}

void run(const ClassifyRequest& request) {
  const bool own_labels = !request.labels.empty();
  check_labels(request.labels);
  if (own_labels && request.pairs) {
    fail(Fault::usage, "classify: --label cannot be combined with --pairs: the label is the second text");
  }
  RecordSource source = request.source("classify");
  if (!own_labels) source.second = "text_pair";
  source.pairs = request.pairs;
  Records records(std::move(source));
  const Classifier classifier(request.folder, request.weights, request.device);
  note_model(classifier.model().trained());
  std::optional<ZeroShot> zero_shot;
  if (own_labels) zero_shot.emplace(classifier, request.labels, request.claim);
  const std::vector<std::string>& labels = zero_shot ? zero_shot->labels() : classifier.labels();
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const std::vector<Classification> found = zero_shot ? zero_shot->classify(texts_of(chunk), reading)
                                                        : classifier.classify(inputs_of(chunk), reading);
    std::vector<std::string> lines(chunk.size());
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (found[i].scores.empty()) continue;
      lines[i] = request.json ? classified_json({chunk[i].text, chunk[i].second}, found[i], labels) + "\n"
                              : line_of(chunk[i], found[i], labels);
    }
    return lines;
  });
}

}  // namespace

void add_classify(CLI::App& program) {
  Command command(program, "classify", "Predict the class of every text");
  command.footer(
      "Input: one text per line, or JSON Lines {\"text\"} or {\"text\", \"text_pair\"}.\n"
      "Output: score, label and text, separated by tabs. With --json, one object per text: {\"text\", "
      "\"label\",\n"
      "\"score\", \"scores\"}.\n\n"
      "Zero-shot classification: --label names your own classes. It needs a model trained on natural "
      "language\n"
      "inference, such as MNLI, which predicts whether a hypothesis follows from a text.\n\n"
      "Examples:\n"
      "  locus train configs/classify.toml --out runs/classify\n"
      "  locus classify runs/classify \"the dog chased the cat\"\n"
      "  locus classify models/sentiment --file reviews.txt --json > classes.jsonl\n"
      "  locus classify models/bart-large-mnli --label sport --label politics --file news.txt");
  auto request = std::make_shared<ClassifyRequest>();
  add_text_options(command, *request, "Texts");
  command.flag("--pairs", request->pairs, "Classify pairs of texts, separated by a tab in a line");
  command.option("--label", request->labels, "Zero-shot classification: a class; may be repeated").repeated();
  command
      .option("--claim", request->claim,
              "Hypothesis template of zero-shot classification; {} is replaced by the label")
      .shows_default();
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
