// locus train: trains a model from a configuration file, and resumes an interrupted run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "locus/base/machine.h"
#include "locus/base/paths.h"
#include "locus/cli/command.h"
#include "locus/cli/run_summary.h"
#include "locus/cli/settings_help.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/cli/training_progress.h"
#include "locus/run/saved_run.h"
#include "locus/tensor/storage.h"
#include "locus/train/continue_run.h"
#include "locus/train/export_run.h"
#include "locus/train/memory_need.h"
#include "locus/train/model_objective.h"
#include "locus/train/run_defaults.h"
#include "locus/train/run_plan.h"

namespace locus::cli {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string config, out;
  std::optional<std::string> continued;  // a run or a checkpoint of a run
  std::vector<std::string> settings;
};

// What the command line asks for.
struct Work {
  fs::path out;
  RunPlan plan;
  std::optional<Continuation> continuation;
};

Settings settings_of(const Request& request) {
  Settings settings = request.config.empty() ? Settings() : Settings::read(request.config);
  for (const std::string& setting : request.settings) settings.set(setting);
  return settings;
}

RunPlan plan_of(const Request& request) {
  Settings settings = settings_of(request);
  keep_defaults(settings, request.out);
  try {
    return plan_run(settings, fs::path(request.config).parent_path());
  } catch (const Error& error) {  // a clone does not contain the text of one preset
    const bool is_kjv = std::ranges::any_of(error.values(), [](const std::string& value) {
      return value.find("kjv.train.txt") != std::string::npos;
    });
    if (error.code() != Code::missing_file || !is_kjv) throw;
    throw error.with_hint("`./run fetch kjv` downloads it; or " + error.hint());
  }
}

Work continued_work(const Request& request) {
  const fs::path place = *request.continued;
  ContinuedRun continued =
      plan_continued(place, settings_of(request), fs::path(request.config).parent_path());
  const bool has_out = !request.out.empty();
  std::error_code unknown;
  const bool in_place = !has_out || fs::equivalent(request.out, continued.run, unknown);
  if (in_place && !fs::equivalent(place, continued.run, unknown)) {
    fail(Fault::usage,
         "--continue names the checkpoint '{}', expected a run folder; or add --out with a new folder",
         place.string());
  }
  if (in_place) continued.continuation.checkpoint.clear();
  return {.out = in_place ? place : fs::path(request.out),
          .plan = std::move(continued.plan),
          .continuation = std::move(continued.continuation)};
}

Work work_of(const Request& request) {
  if (request.continued) return continued_work(request);
  if (request.config.empty() || request.out.empty()) {
    fail(Fault::usage, "train: {} is required, unless --continue names a run; see `locus train --help`",
         request.config.empty() ? "CONFIG" : "--out");
  }
  return {.out = request.out, .plan = plan_of(request), .continuation = {}};
}

// Before the first step: what is trained on what, and what looks wrong about it.
void report_start(const RunPlan& plan, const Model& model, const RunFolder& folder, int64_t step) {
  if (step == plan.train.steps) return;
  const DataSummary data = summarize(plan.task, *plan.training, plan.validation.get());
  tell(run_summary(plan, data, model, folder.path(), step));
  warn(suspicions(data, plan.task));
}

// The command that applies a model with this head.
const char* command_for(const Blueprint& blueprint) {
  switch (blueprint.head) {
    case HeadKind::masked_token:
      return "fill";
    case HeadKind::sequence_class:
      return "classify";
    case HeadKind::token_class:
      return "tag";
    case HeadKind::answer:
      return "answer";
    default:
      return blueprint.kind == ModelKind::encoder_decoder ? "translate" : "generate";
  }
}

// The folder `hub` of a run that started from a model folder. With another scheme, there may be no family
// for it.
void export_hub(const RunFolder& folder) {
  const SavedRun saved = load_run(folder.path());
  warn(saved.warnings);
  try {
    const fs::path hub = save_hub_folder(saved, folder.path());
    print(fmt::format("{}: model folder for Locus and transformers\n", hub.string()));
  } catch (const Error& error) {
    if (error.code() != Code::unsupported_field) throw;
    note(fmt::format("no model folder is written: {}", error.what()));
  }
}

void run(const Request& request) {
  Work work = work_of(request);
  RunPlan& plan = work.plan;
  warn(plan.notes);
  // A pretrained model is already in memory, and the estimate counts it: add it to the free memory.
  check_memory(plan.task.blueprint,
               {.tokens = tokens_per_micro_batch(plan), .recompute = plan.task.data.recompute},
               memory().available + allocated_bytes());
  RunFolder folder(work.out);
  Model model = initial_model(plan);
  ModelObjective objective(model, *plan.training, plan.validation.get(),
                           {.batches = {.batch_size = plan.task.data.batch_size,
                                        .tokens = plan.task.data.tokens_per_step,
                                        .seed = static_cast<uint64_t>(plan.train.seed)},
                            .label_smoothing = static_cast<float>(plan.task.data.label_smoothing),
                            .recompute = plan.task.data.recompute});
  const StopSignals signals;
  StepLine line;
  LivePage page(folder);
  int64_t step = 0;
  try {
    step = train({.objective = objective,
                  .parameters = model.parameters(),
                  .folder = folder,
                  .settings = plan.train,
                  .config = plan.config,
                  .files = files_of(plan.task, folder.path() / "tokenizer.part"),
                  .path_settings = {"data.train", "data.validation", "data.tokenizer"},
                  .continuation = std::move(work.continuation),
                  .hooks = {.start = [&](int64_t done) { report_start(plan, model, folder, done); },
                            .progress =
                                [&](const TrainProgress& progress) {
                                  line(progress);
                                  page(progress);
                                },
                            .stop = [&] { return signals.requested(); },
                            .note = [](const std::string& text) { note(text); }}});
  } catch (...) {
    line.end();
    throw;
  }
  line.end();
  page.write();
  if (step < plan.train.steps) {
    note(fmt::format("stopped and saved after step {}; run the same command again to resume", step));
    throw Stopped{signals.signal()};
  }
  if (plan.exports) export_hub(folder);
  print(fmt::format("{}: {} step{} done; see training.html, or apply the model with locus eval or locus {}\n",
                    work.out.string(), step, step == 1 ? "" : "s", command_for(plan.task.blueprint)));
}

}  // namespace

void add_train(CLI::App& program) {
  Command command(program, "train", "Train or fine-tune a model, or resume a run");
  command.footer([] {
    return std::string(
               "Examples:\n"
               "  locus train configs/classify.toml --out runs/mood\n"
               "  locus train configs/classify.toml --out runs/alibi --set model.scheme.name=alibi\n\n"
               "To fine-tune a Hugging Face model folder, optionally with a new head, write\n"
               "  [model]\n"
               "  from = 'models/all-MiniLM-L6-v2'\n"
               "  head = 'sequence_class'\n\n"
               "from may also be a run. A section [model.scheme] then replaces the scheme.\n\n"
               "Ctrl-C saves and stops. The same command resumes an interrupted run. To train a run further "
               "with\n"
               "more steps or other settings, in its folder or in a new one:\n"
               "  locus train --continue runs/mood --set train.steps=2000\n"
               "  locus train longer.toml --continue runs/mood --out runs/longer\n\n"
               "Settings and their defaults:\n") +
           settings_help();
  });
  auto request = std::make_shared<Request>();
  command.option("CONFIG", request->config,
                 "A TOML file with [model], [data] and [train]; optional with --continue");
  command.option("--out", request->out, "The run folder; with --continue, a new folder");
  command.option("--continue", request->continued,
                 "Train this run further. Settings that you do not give keep their values");
  command.option("--set", request->settings, "key=value overrides a setting of CONFIG; may be repeated")
      .repeated();
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
