// locus export: writes the model of a run as a Hugging Face model folder.
#include <memory>

#include "locus/base/folder.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/train/export_run.h"

namespace locus::cli {

void add_export(CLI::App& program) {
  Command command(program, "export", "Write the model of a run as a Hugging Face model folder");
  command.footer(
      "The folder opens in Locus and in transformers: weights, config.json, tokenizer, label names, and the\n"
      "tokens that start and end a text. If no model family can represent the model, the error names the\n"
      "fields that the nearest family does not support.\n\n"
      "Examples:\n"
      "  locus export runs/mood models/mood\n"
      "  locus export runs/mood/last models/mood-last   the newest checkpoint instead of the best one");
  struct Request {
    std::string run, out;
  };
  auto request = std::make_shared<Request>();
  command.option("RUN", request->run, "A run (its best checkpoint is used), or a checkpoint of a run")
      .required();
  command.option("DIR", request->out, "The folder to write").required();
  command.callback([request] {
    require_free(request->out);
    const SavedRun saved = load_run(request->run);
    warn(saved.warnings);
    export_run(saved, request->out);
    print(fmt::format("{}: model folder for Locus and transformers\n", request->out));
  });
}

}  // namespace locus::cli
