#include "locus/train/run_plan.h"

#include "locus/base/error.h"
#include "locus/base/paths.h"
#include "locus/kernel/kernels.h"
#include "locus/run/run_settings.h"
#include "locus/run/task_frame.h"
#include "locus/train/derived_model.h"
#include "locus/train/epochs.h"
#include "locus/train/hub_run.h"
#include "locus/train/plan_parts.h"
#include "locus/train/run_defaults.h"
#include "locus/train/task_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

OptionValues new_model_values(const Settings& settings) {
  OptionValues values = model_values(settings);
  values.emplace("scheme.name", kDefaultScheme);
  return values;
}

// Checks what can be checked before the data are read.
void check_model(const Settings& settings, std::vector<std::string>& problems) {
  try {
    require_loss(blueprint_of("[model]", new_model_values(settings)).head.kind);
  } catch (const Error& error) {
    std::string text = error.what();  // a list is indented below its first line
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) text.insert(at + 1, "  ");
    problems.push_back(std::move(text));
  }
}

// Completes the task of a model that is trained from scratch.
void plan_model(const Settings& settings, TextTask& task) {
  OptionValues model = new_model_values(settings);
  task.labels = label_names(blueprint_of("[model]", model).head.kind, task.data.train);
  model.emplace("vocabulary", fmt::format("{}", task.tokenizer->size()));
  model.emplace("max_length", fmt::format("{}", task.data.context));
  if (!task.labels.empty()) model.emplace("labels", fmt::format("{}", task.labels.size()));
  task.blueprint = blueprint_of("configuration: [model]", model);
  task.blueprint.init_std = task.blueprint.initial_std();
  int64_t& start = task.data.start_token;
  if (task.is_encoder_decoder() && start < 0) start = task.tokenizer->special(kStartToken);
}

// Opens the model that the run starts from, and completes its task.
void plan_start(const Settings& settings, const HubStart& hub, RunPlan& plan) {
  StartedModel start = open_start(settings, hub, plan.task);
  plan.from = hub.from;
  plan.exports = is_there(fs::path(hub.from) / "config.json");
  plan.start = std::move(start.folder);
  plan.model = std::move(start.model);
  plan.notes = std::move(start.notes);
}

// The plan without one setting in [train], or with all of them.
RunPlan plan_without(std::string_view ignored, const Settings& settings, const fs::path& folder) {
  RunPlan plan;
  TextTask& task = plan.task;
  HubStart hub;
  const bool from_hub = settings.find("model.from") != nullptr;
  std::vector<std::string> problems;
  check_sections(settings, problems);
  from_hub ? read_section(settings, "model", hub, problems) : check_model(settings, problems);
  read_section(settings, "data", task.data, problems);
  read_section(training_values(settings, ignored), "train", plan.train, problems);
  if (task.data.train.empty()) problems.emplace_back("[data] train is missing, expected a file to train on");
  refuse("configuration", problems);
  require_usable(plan.train.device);
  resolve_data(task.data, settings, folder);
  if (from_hub) {
    resolve_start(hub.from, settings, folder);
    apply_start_defaults(settings, hub.from, task.data);
  }

  task.seed = static_cast<uint64_t>(plan.train.seed);
  task.tokenizer = open_tokenizer(task.data.tokenizer);
  from_hub ? plan_start(settings, hub, plan) : plan_model(settings, task);
  const Blueprint& blueprint = task.blueprint;
  // A folder may have fewer rows than its tokenizer has tokens: only a text with such a token is an error.
  require(!plan.from.empty() || blueprint.vocabulary >= task.tokenizer->size(),
          "model.vocabulary is {}, expected at least {}, the number of tokens of the tokenizer",
          blueprint.vocabulary, task.tokenizer->size());
  require(task.labels.empty() || blueprint.head.labels >= static_cast<int64_t>(task.labels.size()),
          "model.labels is {}, expected at least {}, the number of labels in '{}'", blueprint.head.labels,
          task.labels.size(), task.data.train);
  if (!task.labels.empty()) name_remaining_labels(task.labels, blueprint.head.labels);
  require(task.data.start_token < blueprint.vocabulary,
          "data.start_token is {}, expected an id below model.vocabulary, {}", task.data.start_token,
          blueprint.vocabulary);
  plan.train.warmup = plan.train.warmup_steps();
  plan.config = resolved(plan);
  read_data(plan);
  return plan;
}

}  // namespace

RunPlan plan_run(const Settings& settings, const fs::path& folder) {
  try {
    return plan_without("", settings, folder);
  } catch (const Error& error) {
    throw with_steps_of_epochs(error, settings, [&](const Setting& epochs) {
      return steps_of_epochs(epochs, plan_without(epochs.key, settings, folder));
    });
  }
}

double tokens_per_micro_batch(const RunPlan& plan) {
  const DataSettings& data = plan.task.data;
  double tokens = static_cast<double>(data.tokens_per_step);
  if (data.tokens_per_step == 0) {
    int64_t all = 0;
    const int64_t sampled = std::min<int64_t>(plan.training->size(), 1000);
    for (int64_t i = 0; i < sampled; ++i) all += plan.training->length(i);
    tokens = static_cast<double>(all) / static_cast<double>(sampled) * static_cast<double>(data.batch_size);
  }
  return tokens / static_cast<double>(plan.train.step_parts());
}

Model initial_model(RunPlan& plan) {
  const Device device = plan.train.device;
  if (plan.model) return on_device(std::move(*plan.model), device);
  if (plan.start) return on_device(std::move(plan.start->model), device);
  return {plan.task.blueprint, {.seed = plan.task.seed, .device = device}};
}

}  // namespace locus
