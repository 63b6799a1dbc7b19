// locus stretch: writes a model folder with a longer context window, from a model folder or a run.
#include "locus/checkpoint/stretch.h"

#include <algorithm>
#include <memory>

#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/cli/command.h"
#include "locus/cli/eval_output.h"
#include "locus/cli/lengths.h"
#include "locus/cli/terminal.h"
#include "locus/train/export_run.h"

namespace locus::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kWays = {"interpolate", "repeat", "linear", "ntk",
                                        "yarn"};  // in the order of the enum

LengthEvaluation evaluation_of(const std::string& folder, const std::string& text,
                               const std::vector<int64_t>& lengths) {
  TrainedModel trained(folder);
  trained.model().parameters().freeze("");
  ProgressLine line;
  return evaluate_lengths(trained, text, {.lengths = lengths, .progress = progress_on(line)});
}

struct StretchRequest {
  std::string folder, how, out, text;
  int64_t length = 0;

  Stretch method() const { return static_cast<Stretch>(std::ranges::find(kWays, how) - kWays.begin()); }
};

// What was done: the lengths and the method, then the files that changed.
std::string summary(const Stretched& done, const std::string& how, const std::string& out) {
  const double factor = static_cast<double>(done.to) / static_cast<double>(done.from);
  std::vector<std::vector<std::string>> rows = {{"method", fmt::format("{}, factor {:.4g}", how, factor)}};
  for (const FileChange& change : done.changes) rows.push_back({change.file, change.what});
  if (done.only_newer) {
    rows.push_back(
        {"transformers", "version 5 or later: version 4 has no field for this scaling, and fails"});
  }
  return fmt::format("{}: context of {} tokens, extended from {}\n", out, done.to, done.from) +
         table(rows, terminal_width());
}

void check(const Blueprint& blueprint, const StretchRequest& request) {
  try {
    check_stretch(blueprint, request.folder, request.length, request.method());
  } catch (const Error& error) {
    if (has_context_to_stretch(blueprint)) throw;
    throw error.with_hint("use `locus eval DIR FILE --lengths 512,1024` to measure it");
  }
}

std::unique_ptr<TemporaryExport> exported(const SavedRun& saved, const StretchRequest& request) {
  try {
    return std::make_unique<TemporaryExport>(saved, request.out);
  } catch (const Error& error) {
    if (error.code() != Code::unsupported_field) throw;
    throw error.at(
        fmt::format("'{}' cannot be stretched, because a stretched model is a model folder", request.folder));
  }
}

void run(const StretchRequest& request) {
  require_free(request.out);
  std::unique_ptr<TemporaryExport> run;
  if (!is_there(fs::path(request.folder) / "config.json") && is_run(request.folder)) {
    const SavedRun saved = load_run(request.folder);
    warn(saved.warnings);
    check(saved.task.blueprint, request);
    run = exported(saved, request);
  }
  const ModelFolder folder = open_model(run ? run->path() : fs::path(request.folder));
  warn(folder.warnings);
  check(folder.architecture.blueprint, request);
  const std::vector<int64_t> lengths = {folder.architecture.blueprint.max_length, request.length};
  std::vector<NamedEvaluation> measured;
  if (!request.text.empty()) {
    measured.push_back({"before", evaluation_of(request.folder, request.text, lengths)});
  }
  const Stretched done = stretch_model(folder, request.length, request.method(), request.out);
  if (!request.text.empty()) {
    measured.push_back({"after", evaluation_of(request.out, request.text, lengths)});
  }
  print(summary(done, request.how, request.out));
  if (!measured.empty()) print("\n" + as_text(measured));
}

}  // namespace

void add_stretch(CLI::App& program) {
  Command command(program, "stretch", "Extend the context window of a model folder or a run");
  command.footer(
      "Learned position tables: interpolate (new rows between the old ones) or repeat (the old rows again).\n"
      "Rotary models: linear, ntk or yarn, written as a RoPE scaling in config.json.\n"
      "A run is exported first. The new folder also opens in transformers.\n"
      "Fine-tune it at the new length, or evaluate it as it is.\n\n"
      "Examples:\n"
      "  locus stretch models/bert --length 1024 --how interpolate --out models/bert-1024\n"
      "  locus stretch models/gpt2 --length 2048 --how repeat --out longer --evaluate text.txt");
  auto request = std::make_shared<StretchRequest>();
  command.option("DIR", request->folder, "A Hugging Face model folder, a run, or a checkpoint of a run")
      .required();
  command.option("--length", request->length, "The new context length in tokens")
      .between(1, 1 << 24)
      .required();
  command.option("--how", request->how, "Method, see below").one_of(kWays).required();
  command.option("--out", request->out, "The folder to write").required();
  command.option("--evaluate", request->text,
                 "A text file: print its loss before and after, at the old and at the new length");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
