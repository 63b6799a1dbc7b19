// locus eval: measures a trained model on a file.
#include <fmt/format.h>

#include <memory>

#include "locus/base/file.h"
#include "locus/base/paths.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/eval_output.h"
#include "locus/cli/lengths.h"
#include "locus/cli/progress_line.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/report/length_page.h"

namespace locus::cli {
namespace {

struct EvalRequest {
  std::string folder, file, out, lengths;
  int64_t stride = 0;
  bool truncate = false, json = false;
  DType weights = DType::f32;
  Device device = Device::cpu;

  bool by_length() const { return !lengths.empty() || stride > 0 || !out.empty(); }
};

// A decoder or encoder from a Hugging Face folder reads a text at its own length, a run as in its validation.
bool reads_windows(const TrainedModel& trained, const EvalRequest& request) {
  return request.by_length() || (trained.hub() && trained.task().on_streams());
}

std::string page_of(const TrainedModel& trained, const LengthEvaluation& evaluation,
                    const EvalRequest& request) {
  const int64_t context = trained.task().data.context;
  return report::length_page(
      {.model = absolute_path(request.folder).filename().string(),
       .text = std::filesystem::path(request.file).filename().string(),
       .scheme = trained.blueprint().scheme,
       .own_length = context,
       .own_name = fmt::format("{} {}", trained.hub() ? "max length" : "trained at", context)},
      evaluation);
}

LengthEvaluation evaluate_text(const TrainedModel& trained, const EvalRequest& request, ProgressLine& line) {
  const LengthEvaluation evaluation = evaluate_lengths(
      trained, request.file,
      {.lengths = lengths_of(request.lengths), .stride = request.stride, .progress = progress_on(line)});
  if (!request.out.empty()) write_file(request.out, page_of(trained, evaluation, request));
  return evaluation;
}

template <class Measured>
void print_result(const Measured& evaluation, const TrainedModel& trained, const EvalRequest& request,
                  ProgressLine& line) {
  line.clear();
  if (!request.json) return print(as_text(evaluation, request.file));
  json::Members members = checkpoint_members(trained);
  members.emplace_back("file", json::text(request.file));
  for (auto& member : members_of(evaluation)) members.push_back(std::move(member));
  print(json::lines(members));
}

void run(const EvalRequest& request) {
  lengths_of(request.lengths);  // reports a bad list before the model is opened
  TrainedModel trained(request.folder, {.weights = request.weights, .device = request.device});
  note_model(trained);
  trained.model().parameters().freeze("");
  if (request.truncate && trained.task().on_streams()) {
    fail(Fault::usage, "eval: --truncate applies to examples, but the model reads '{}' as one text",
         request.file);
  }
  ProgressLine line;
  if (reads_windows(trained, request)) {
    print_result(evaluate_text(trained, request, line), trained, request, line);
  } else {
    print_result(
        evaluate(trained, request.file, {.truncate = request.truncate, .progress = progress_on(line)}),
        trained, request, line);
  }
}

}  // namespace

void add_eval(CLI::App& program) {
  Command command(program, "eval", "Evaluate a trained model on a file, also at other lengths");
  command.footer(
      "Examples:\n"
      "  locus eval runs/verdict the-verdict.txt\n"
      "  locus eval runs/verdict the-verdict.txt --lengths 64,128,256,512 --out lengths.html\n"
      "  locus eval models/gpt2 text.txt --lengths 512,1024 --stride 256\n"
      "  locus eval runs/reverse/last configs/data/reverse.test.tsv --json\n\n"
      "DATA has the format of the training data: a text, a token file, .tsv or .jsonl. `majority` is the\n"
      "accuracy of always predicting the most common target.\n\n"
      "--lengths evaluates a text in windows of each length. Every length has the same targets, so the\n"
      "numbers can be compared. A length that the model cannot read is reported and skipped.");
  auto request = std::make_shared<EvalRequest>();
  command
      .option("DIR", request->folder,
              "A run (its best checkpoint is used), a checkpoint of a run, or a Hugging Face model folder")
      .required();
  command.option("DATA", request->file, "The file to evaluate on").required();
  command.option("--lengths", request->lengths,
                 "Window lengths in tokens, comma-separated [a run: the windows of its validation; a model "
                 "folder: the longest that the model and the text allow]");
  command
      .option("--stride", request->stride,
              "Tokens from one window to the next; only new tokens are targets [no overlap]")
      .between(1, 1 << 24);
  command
      .option("--out", request->out, "Write an .html page with charts of the loss by length and by position")
      .ends_in({".html"});
  command.flag("--truncate", request->truncate, "Cut examples that are longer than the model can read");
  command.flag("--json", request->json, "Print JSON");
  add_dtype(command, request->weights);
  add_device(command, request->device);
  add_threads(command);
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
