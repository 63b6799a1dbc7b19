// locus train: trains a model from a configuration file, and resumes an interrupted run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "locus/base/parse.h"
#include "locus/cli/command.h"
#include "locus/cli/dist_options.h"
#include "locus/cli/run_summary.h"
#include "locus/cli/settings_help.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/cli/training_progress.h"
#include "locus/dist/handshake.h"
#include "locus/train/planned_run.h"
#include "locus/train/run_defaults.h"

namespace locus::cli {
namespace {

namespace fs = std::filesystem;

struct TrainRequest {
  std::string config, out;
  std::optional<std::string> continued;  // a run or a checkpoint of a run
  std::vector<std::string> settings;
  bool verbose = false;
  DistOptions dist;
};

Settings settings_of(const TrainRequest& request) {
  Settings settings = request.config.empty() ? Settings() : Settings::read(request.config);
  for (const std::string& setting : request.settings) settings.set(setting);
  return settings;
}

RunPlan plan_of(const TrainRequest& request) {
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

PlannedRun continued_run(const TrainRequest& request, dist::Transport& ranks) {
  ContinuedRun continued =
      plan_continued(*request.continued, settings_of(request), fs::path(request.config).parent_path());
  warn(continued.plan.notes);
  try {
    return continue_run(std::move(continued), *request.continued, request.out, &ranks);
  } catch (const Error& error) {
    if (error.code() != Code::output_exists || !request.out.empty()) throw;
    throw error.with_hint("add --out with a new folder");
  }
}

PlannedRun run_of(const TrainRequest& request, dist::Transport& ranks) {
  if (request.continued) return continued_run(request, ranks);
  if (request.config.empty() || request.out.empty()) {
    fail(Fault::usage, "train: {} is required, unless --continue names a run; see `locus train --help`",
         request.config.empty() ? "CONFIG" : "--out");
  }
  RunPlan plan = plan_of(request);
  warn(plan.notes);
  return PlannedRun(std::move(plan), request.out, std::nullopt, &ranks);
}

// Before the first step: what is trained on what, and what looks wrong about it.
void report_start(const PlannedRun& run, int64_t step) {
  const RunPlan& plan = run.plan();
  if (step == plan.train.steps) return;
  const DataSummary data = summarize(plan.task, *plan.training, plan.validation.get());
  tell(run_summary(plan, data, run.model(), run.folder().path(), step));
  warn(suspicions(data, plan.task));
}

// The command that applies a model with this head.
const char* command_for(const Blueprint& blueprint) {
  switch (blueprint.head.kind) {
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

// The progress of a run, on rank 0.
class Report {
 public:
  explicit Report(const PlannedRun& run) : page_(run.folder()) {}
  void operator()(const TrainProgress& progress) {
    line_(progress);
    page_(progress);
  }
  void end_line() { line_.end(); }
  void write_page() { page_.write(); }

 private:
  StepLine line_;
  LivePage page_;
};

// Means over the steps of this process: what each rank sent, the time in which it only sent or waited, and
// the time in which it computed meanwhile.
void report_traffic(dist::Transport& ranks, const TrainProgress& last) {
  const double steps = std::max(1.0, static_cast<double>(last.own_steps));
  const dist::Traffic& all = last.traffic;
  const std::string mine = fmt::format(
      "rank {} of {} sent {:.3f} MB in a step, and waited {:.3f} s of {:.3f} s; another {:.3f} s of messages "
      "overlapped with the backward pass",
      ranks.rank(), ranks.size(), static_cast<double>(all.sent) / 1e6 / steps, all.waited() / steps,
      last.own_seconds / steps, all.hidden / steps);
  for (const std::string& text : dist::gather_texts(ranks, mine)) note(text);
}

// The signal that stopped this rank or another one; 0 if all steps are done.
int train(PlannedRun& run, dist::Transport& ranks, bool verbose) {
  const StopSignals signals;
  const bool leads = ranks.rank() == 0;
  std::optional<Report> report;
  if (leads) report.emplace(run);
  TrainProgress last;
  int64_t step = 0;
  try {
    step = run.train({.start =
                          [&](int64_t done) {
                            if (leads) report_start(run, done);
                          },
                      .progress =
                          [&](const TrainProgress& progress) {
                            last = progress;
                            if (report) (*report)(progress);
                          },
                      .stop = [&] { return signals.requested(); },
                      .note = [](const std::string& text) { note(text); }});
  } catch (...) {
    if (report) report->end_line();
    throw;
  }
  if (report) report->end_line();
  if (report) report->write_page();
  if (verbose) report_traffic(ranks, last);
  if (step == run.plan().train.steps) return 0;
  note(fmt::format("stopped and saved after step {}; run the same command again to resume", step));
  int signal = 0;
  for (const std::string& text : dist::gather_texts(ranks, std::to_string(signals.signal()))) {
    signal = std::max(signal, parse<int>(text).value_or(0));
  }
  return signal;
}

void run(const TrainRequest& request) {
  int signal = 0;
  with_ranks(request.dist, [&](dist::Transport& ranks) {
    PlannedRun run = run_of(request, ranks);
    signal = train(run, ranks, request.verbose);
    if (signal != 0 || ranks.rank() != 0) return;
    if (const auto hub = run.save_hub([](const std::string& text) { note(text); })) {
      print(fmt::format("{}: model folder for Locus and transformers\n", hub->string()));
    }
    const int64_t steps = run.plan().train.steps;
    print(fmt::format(
        "{}: {} step{} done; see training.html, or apply the model with locus eval or locus {}\n",
        run.folder().path().string(), steps, steps == 1 ? "" : "s", command_for(run.plan().task.blueprint)));
  });
  if (signal != 0) throw Stopped{signal};
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
  auto request = std::make_shared<TrainRequest>();
  command.option("CONFIG", request->config,
                 "A TOML file with [model], [data] and [train]; optional with --continue");
  command.option("--out", request->out, "The run folder; with --continue, a new folder");
  command.option("--continue", request->continued,
                 "Train this run further. Settings that you do not give keep their values");
  command.option("--set", request->settings, "key=value overrides a setting of CONFIG; may be repeated")
      .repeated();
  command.flag("--verbose", request->verbose,
               "At the end, print what each process sent and how long it waited for others");
  add_dist_options(command, request->dist);
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
