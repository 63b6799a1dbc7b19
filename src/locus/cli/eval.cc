// locus eval: measures a trained model on a file.
#include <fmt/format.h>

#include <memory>

#include "locus/base/json.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/train/evaluation.h"

namespace locus::cli {
namespace {

struct Request {
  std::string folder, file;
  bool json = false;
};

using Rows = std::vector<std::vector<std::string>>;

std::string lengths(const Evaluation::Band& band) {
  return band.least == band.most ? fmt::format("{}", band.most) : fmt::format("{}-{}", band.least, band.most);
}

std::string as_text(const Evaluation& evaluation, const Request& request) {
  std::string text =
      fmt::format("'{}': {} samples, {} targets\n\n", request.file, evaluation.samples, evaluation.targets);
  Rows rows;
  for (const auto& [name, value] : evaluation.numbers) rows.push_back({name, fmt::format("{:.4f}", value)});
  text += table(rows, terminal_width());
  if (evaluation.by_length.empty()) return text;
  rows = {{"length", "targets"}};
  for (const auto& [name, value] : evaluation.by_length.front().numbers) rows.front().push_back(name);
  for (const Evaluation::Band& band : evaluation.by_length) {
    rows.push_back({lengths(band), fmt::format("{}", band.targets)});
    for (const auto& [name, value] : band.numbers) rows.back().push_back(fmt::format("{:.4f}", value));
  }
  return text + "\n" + table(rows, terminal_width());
}

std::string as_json(const Evaluation& evaluation, const TrainedModel& trained, const Request& request) {
  json::Members members = {{"checkpoint", json::text(trained.checkpoint().string())},
                           {"file", json::text(request.file)},
                           {"samples", json::number(evaluation.samples)},
                           {"targets", json::number(evaluation.targets)}};
  for (const auto& [name, value] : evaluation.numbers) members.emplace_back(name, json::number(value));
  std::vector<std::string> bands;
  for (const Evaluation::Band& band : evaluation.by_length) {
    json::Members inner = {{"least", json::number(band.least)},
                           {"most", json::number(band.most)},
                           {"targets", json::number(band.targets)}};
    for (const auto& [name, value] : band.numbers) inner.emplace_back(name, json::number(value));
    bands.push_back(json::object(inner));
  }
  members.emplace_back("by_length", json::list(bands));
  return json::lines(members);
}

void run(const Request& request) {
  const TrainedModel trained(request.folder);
  warn(trained.warnings());
  const Evaluation evaluation = evaluate(trained, request.file);
  print(request.json ? as_json(evaluation, trained, request) : as_text(evaluation, request));
}

}  // namespace

void add_eval(CLI::App& program) {
  Command command(program, "eval", "Measure a trained model on a file");
  command.footer(
      "Examples:\n"
      "  locus eval runs/verdict the-verdict.txt\n"
      "  locus eval runs/reverse/last configs/data/reverse.test.tsv --json\n\n"
      "DATA has the format of the training data: a text, a token file, .tsv or .jsonl. `majority` is the\n"
      "accuracy of always predicting the most common target.");
  auto request = std::make_shared<Request>();
  command
      .option("DIR", request->folder,
              "A run folder, which means its best checkpoint, a checkpoint folder, or a Hugging Face model "
              "folder")
      .required();
  command.option("DATA", request->file, "The file to evaluate on").required();
  command.flag("--json", request->json, "Print JSON");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
