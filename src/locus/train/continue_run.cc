#include "locus/train/continue_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/kernel/kernels.h"
#include "locus/run/run_settings.h"
#include "locus/run/saved_run.h"
#include "locus/train/epochs.h"
#include "locus/train/plan_parts.h"
#include "locus/train/task_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFreeInModel[] = {"dropout", "attention_dropout", "max_length"};
constexpr std::string_view kFixedInData[] = {"data.start_token", "data.framing", "data.pair_segments",
                                             "data.padding_token", "data.mask_token"};

// The run folder of a checkpoint: RUN/steps/00000200, or a link RUN/last.
fs::path run_of(const fs::path& checkpoint) {
  const fs::path parent = absolute_path(checkpoint / "").parent_path().parent_path();
  return parent.filename() == "steps" ? parent.parent_path() : parent;
}

Settings merged(const fs::path& checkpoint, const Settings& settings) {
  Settings all = Settings::read(checkpoint / "config.toml");
  for (const Setting& setting : settings.all()) all.set(setting.key, setting.value);
  return all;
}

// The blueprint of the run with the settings that may change. Throws a list of all others.
Blueprint continued_blueprint(const RunTask& run, const Settings& settings) {
  const Blueprint& own = run.task.blueprint;
  OptionValues values = values_of(own);
  for (const auto& [name, value] : model_values(settings)) values.insert_or_assign(name, value);
  const Blueprint b = blueprint_of("configuration: [model]", values);
  const OptionValues before = values_of(own), after = values_of(b);
  std::vector<std::string> problems;
  for (const auto& [name, value] : after) {
    const auto was = before.find(name);
    if (std::ranges::count(kFreeInModel, name) > 0 || (was != before.end() && was->second == value)) continue;
    problems.push_back(fmt::format("model.{} is {}, was {}", name, quote(value),
                                   was == before.end() ? "not set" : quote(was->second).text()));
  }
  if (problems.empty()) return b;
  fail({Fault::usage, Code::none, "to change the model, start a new run with model.from"},
       "'{}' cannot be continued with another model\n  {}", run.checkpoint.string(),
       fmt::join(problems, "\n  "));
}

// A longer context needs a scheme that extrapolates or a table that is long enough.
void fit_context(const fs::path& checkpoint, const Blueprint& own, TextTask& task) {
  Blueprint& b = task.blueprint;
  if (scheme_info(b.scheme).extrapolates) {
    b.max_length = std::max(b.max_length, task.data.context);
    return;
  }
  b.max_length = own.max_length;
  if (task.data.context <= b.max_length) return;
  fail({Fault::data, Code::none,
        "to extend the table, stretch the run, and start from the folder that this writes"},
       "data.context is {}, expected at most {}, the number of positions of scheme '{}' in '{}'",
       task.data.context, b.max_length, b.scheme, checkpoint.string());
}

void check_labels(const TextTask& task) {
  for (const std::string& name : label_names(task.blueprint.head.kind, task.data.train)) {
    if (std::ranges::count(task.labels, name) > 0) continue;
    fail({Fault::usage, Code::none, "to train another head, start a new run with model.from and model.head"},
         "unknown label {} in '{}', expected one of the labels of the run: {}", quote(name), task.data.train,
         fmt::join(task.labels, ", "));
  }
}

void check_fixed(const RunTask& run, const Settings& settings) {
  const OptionValues own = field_values(run.task.data);
  for (const std::string_view key : kFixedInData) {
    const Setting* setting = settings.find(key);
    const std::string& before = own.at(std::string(key.substr(key.find('.') + 1)));
    if (setting == nullptr || setting->value == before) continue;
    fail(Fault::usage, "{} is {}, expected {} as in '{}'", key, quote(setting->value), before,
         run.checkpoint.string());
  }
  const Setting* from = settings.find("model.from");
  if (from == nullptr || fs::path(from->value).filename() == run.start.filename()) return;
  fail(Fault::usage, "model.from is {}, expected no such setting: the weights come from '{}'",
       quote(from->value), run.checkpoint.string());
}

Model unread_model(const RunPlan& plan) {
  Model model(plan.task.blueprint, {.seed = std::nullopt, .device = plan.train.device});
  if (!plan.exports) return model;
  // Buffers of the family that the run started from have no gradient.
  const Family& family = *read_architecture(read_config(plan.from)).family;
  for (Binding& binding : bindings_of(family, model.blueprint(), model.parameters())) {
    if (!binding.constant) continue;
    for (Var& parameter : binding.parameters) parameter.set_wants_grad(false);
  }
  return model;
}

// The plan without one setting in [train], or with all of them.
ContinuedRun continued_without(std::string_view ignored, const fs::path& place, const Settings& settings,
                               const fs::path& folder) {
  require(is_run(place), Code::missing_file, "no checkpoint in '{}', expected the folder of a training run",
          place.string());
  RunTask run = read_run_task(place, Which::newest);
  ContinuedRun continued{.run = run_of(run.checkpoint), .checkpoint = run.checkpoint};
  RunPlan& plan = continued.plan;
  const Settings all = merged(run.checkpoint, settings);
  std::vector<std::string> problems;
  check_sections(settings, problems);
  plan.task = run.task;
  read_section(all, "data", plan.task.data, problems);
  read_section(training_values(all, ignored), "train", plan.train, problems);
  refuse("configuration", problems);
  require_usable(plan.train.device);
  check_fixed(run, settings);
  resolve_data(plan.task.data, settings, folder);
  TextTask& task = plan.task;
  task.seed = static_cast<uint64_t>(plan.train.seed);
  if (settings.find("data.tokenizer")) task.tokenizer = open_tokenizer(task.data.tokenizer);
  task.blueprint = continued_blueprint(run, settings);
  fit_context(run.checkpoint, run.task.blueprint, task);
  check_labels(task);
  plan.from = run.start.string();
  plan.exports = is_there(run.start / "config.json");
  plan.notes = std::move(run.warnings);
  plan.config = resolved(plan);
  read_data(plan);
  plan.model.emplace(unread_model(plan));
  continued.continuation = {.checkpoint = continued.checkpoint,
                            .metrics = continued.run / "metrics.jsonl",
                            .data_files = {kTrainingDataFile, kValidationDataFile},
                            .comparable = {"model.dropout", "model.attention_dropout", "data.batch_size",
                                           "data.tokens_per_step", "data.recompute", "data.label_smoothing"}};
  return continued;
}

}  // namespace

ContinuedRun plan_continued(const fs::path& place, const Settings& settings, const fs::path& folder) {
  try {
    return continued_without("", place, settings, folder);
  } catch (const Error& error) {
    throw with_steps_of_epochs(error, settings, [&](const Setting& epochs) {
      return steps_of_epochs(epochs, continued_without(epochs.key, place, settings, folder).plan);
    });
  }
}

}  // namespace locus
