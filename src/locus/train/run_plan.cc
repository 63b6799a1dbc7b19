#include "locus/train/run_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/base/fields.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/open_tokens.h"
#include "locus/train/text_frame.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSections[] = {"model", "model.scheme", "model.global_scheme", "data", "train"};
constexpr std::string_view kModelKeys = "model.";

// Of a scheme, and of one of several, model.scheme.t5.buckets.
bool of_scheme(std::string_view key) {
  return key.starts_with("model.scheme.") || key.starts_with("model.global_scheme.");
}

void check_sections(const Settings& settings, std::vector<std::string>& problems) {
  for (const Setting& setting : settings.all()) {
    const size_t dot = setting.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : setting.key.substr(0, dot);
    if (std::ranges::count(kSections, section) > 0 || of_scheme(setting.key)) continue;
    problems.push_back(fmt::format(
        "unknown key {}; keys stand in [model], [model.scheme], [model.global_scheme], [data] and "
        "[train]{}",
        quote(setting.key), suggestion(section, kSections)));
  }
}

template <class T>
void read_section(const Settings& settings, const std::string& section, T& object,
                  std::vector<std::string>& problems) {
  for (const std::string& problem : read_fields(object, settings.section(section))) {
    problems.push_back(fmt::format("[{}] {}", section, problem));
  }
}

OptionValues scheme_values(const Settings& settings) {
  OptionValues values;
  for (const Setting& setting : settings.all()) {
    if (of_scheme(setting.key)) values.emplace(setting.key.substr(kModelKeys.size()), setting.value);
  }
  return values;
}

OptionValues model_values(const Settings& settings) {
  OptionValues values = settings.section("model");
  values.erase("from");
  values.merge(scheme_values(settings));
  return values;
}

// What can be said of the model before the data are read.
void check_model(const Settings& settings, std::vector<std::string>& problems) {
  try {
    const Blueprint blueprint = blueprint_of("[model]", model_values(settings));
    if (blueprint.head == HeadKind::none || blueprint.head == HeadKind::embedding) {
      problems.emplace_back("[model] head puts out vectors, which have no loss; expected one that predicts");
    }
  } catch (const Error& error) {
    problems.emplace_back(error.what());
  }
}

// A name of a file as it is seen from anywhere.
void place(std::string& name, const Settings& settings, const char* key, const fs::path& folder) {
  const Setting* setting = settings.find(key);
  if (setting == nullptr || name.empty() || name == "bytes") return;
  const bool in_file = setting->line > 0;  // otherwise from the command line
  const fs::path found = absolute_path(in_file ? folder / name : fs::path(name));
  const char* data = std::getenv("LOCUS_DATA");
  const fs::path other = data == nullptr ? fs::path() : absolute_path(data) / fs::path(name).filename();
  if (!is_there(found) && !is_there(other)) {
    fail(Fault::io, "{} is '{}', which is not there{}; LOCUS_DATA may name a folder that has it", key,
         found.string(), data == nullptr ? "" : fmt::format(", nor is '{}'", other.string()));
  }
  name = (is_there(found) ? found : other).string();
}

// Of so many, those that are left when a part is cut off, be it one.
int64_t left_of(int64_t size, double part) {
  const auto cut = static_cast<int64_t>(std::llround(static_cast<double>(size) * part));
  return part > 0 ? std::max<int64_t>(size - std::max<int64_t>(cut, 1), 0) : size;
}

// The last part of a list, cut off.
template <class T>
std::vector<T> cut_off(std::vector<T>& list, double part) {
  const int64_t keep = left_of(std::ssize(list), part);
  std::vector<T> rest(std::make_move_iterator(list.begin() + keep), std::make_move_iterator(list.end()));
  list.resize(static_cast<size_t>(keep));
  return rest;
}

void read_data(RunPlan& plan) {
  const TextTask& task = plan.task;
  const fs::path file = task.data.train;
  const double part = task.data.validation.empty() ? task.data.validation_split : 0;
  if (task.on_streams()) {
    const auto stream = open_tokens(file, *task.tokenizer);
    const int64_t keep = left_of(stream->size(), part);
    plan.training = window_samples(task, std::make_shared<StreamPart>(stream, 0, keep));
    if (part > 0) {
      plan.validation = window_samples(task, std::make_shared<StreamPart>(stream, keep, stream->size()));
    }
  } else {
    const std::string name = fmt::format("'{}'", file.string());
    std::vector<Sample> samples = example_samples(task, file);
    const size_t all = samples.size();
    if (part > 0) plan.validation = std::make_unique<ListedSamples>(cut_off(samples, part), name);
    require(!samples.empty(),
            "{} has {} example{}: data.validation_split, {}, leaves none for training; lower it, or name a "
            "file in data.validation",
            name, all, all == 1 ? "" : "s", part);
    plan.training = std::make_unique<ListedSamples>(std::move(samples), name);
  }
  if (!task.data.validation.empty()) plan.validation = samples_of(task, task.data.validation);
}

Settings resolved(const RunPlan& plan) {
  Settings config;
  if (plan.start) config.set("model.from", plan.start->path.string());
  for (const auto& [name, value] : values_of(plan.task.blueprint)) config.set("model." + name, value);
  for (const auto& [name, value] : field_values(plan.task.data)) config.set("data." + name, value);
  for (const auto& [name, value] : field_values(plan.train)) config.set("train." + name, value);
  return config;
}

// The task of a model that is made here.
void plan_model(const Settings& settings, TextTask& task) {
  OptionValues model = model_values(settings);
  task.labels = label_names(blueprint_of("[model]", model).head, task.data.train);
  model.emplace("vocabulary", fmt::format("{}", task.tokenizer->size()));
  model.emplace("max_length", fmt::format("{}", task.data.context));
  if (!task.labels.empty()) model.emplace("labels", fmt::format("{}", task.labels.size()));
  task.blueprint = blueprint_of("configuration: [model]", model);
  int64_t& start = task.data.start_token;
  if (task.in_two_parts() && start < 0) start = task.tokenizer->special(kStartToken);
}

// What the folder a model comes from says of data where the settings do not.
void follow_folder(const Settings& settings, const fs::path& from, DataSettings& data) {
  const Config config = read_config(from);
  const Blueprint own = read_architecture(config).blueprint;
  if (!settings.find("data.tokenizer")) data.tokenizer = from.string();
  if (!settings.find("data.context")) data.context = std::min(data.context, own.max_length);
  if (own.kind != ModelKind::encoder_decoder || data.start_token >= 0) return;
  constexpr const char* kStart = "decoder_start_token_id";
  require(config.has(kStart),
          "'{}': {} is missing, expected the token before what a decoder writes; or set "
          "data.start_token",
          config.path().string(), kStart);
  data.start_token = token_of(config, kStart, own.vocabulary);
}

// The task of a model that comes from a folder, and the folder.
ModelFolder plan_start(const Settings& settings, const HubStart& hub, TextTask& task) {
  const bool asked = settings.find("model.head") != nullptr;
  return open_start(hub.from, asked ? std::optional(hub.head) : std::nullopt, task);
}

}  // namespace

RunPlan plan_run(const Settings& settings, const fs::path& folder) {
  RunPlan plan;
  TextTask& task = plan.task;
  HubStart hub;
  const bool from_hub = settings.find("model.from") != nullptr;
  std::vector<std::string> problems;
  check_sections(settings, problems);
  from_hub ? read_section(settings, "model", hub, problems) : check_model(settings, problems);
  read_section(settings, "data", task.data, problems);
  read_section(settings, "train", plan.train, problems);
  if (from_hub && !scheme_values(settings).empty()) {
    problems.emplace_back("[model.scheme] is what the folder in model.from says; expected no such section");
  }
  if (task.data.train.empty()) problems.emplace_back("[data] train is missing: what to train on");
  refuse("configuration", problems);
  place(task.data.train, settings, "data.train", folder);
  place(task.data.validation, settings, "data.validation", folder);
  place(task.data.tokenizer, settings, "data.tokenizer", folder);
  place(hub.from, settings, "model.from", folder);
  if (from_hub) follow_folder(settings, hub.from, task.data);

  task.seed = static_cast<uint64_t>(plan.train.seed);
  task.from_hub = from_hub;
  if (task.data.tokenizer == "bytes") {
    task.tokenizer =
        std::make_shared<ByteVocabulary>(std::vector<std::string>{kStartToken, kEndToken, kMaskToken});
  } else {
    task.tokenizer = load_tokenizer(task.data.tokenizer);
  }
  from_hub ? void(plan.start = plan_start(settings, hub, task)) : plan_model(settings, task);
  const Blueprint& blueprint = task.blueprint;
  // Of a folder, too few rows are an error only where a text has a token beyond them.
  require(from_hub || blueprint.vocabulary >= task.tokenizer->size(),
          "model.vocabulary is {}, but the tokenizer has {} tokens", blueprint.vocabulary,
          task.tokenizer->size());
  require(task.labels.empty() || blueprint.labels >= static_cast<int64_t>(task.labels.size()),
          "model.labels is {}, but '{}' has {} labels", blueprint.labels, task.data.train,
          task.labels.size());
  if (!task.labels.empty()) name_the_rest(task.labels, blueprint.labels);
  require(task.data.start_token < blueprint.vocabulary,
          "data.start_token is {}, expected less than model.vocabulary, {}", task.data.start_token,
          blueprint.vocabulary);
  plan.config = resolved(plan);
  read_data(plan);
  return plan;
}

Model first_model(RunPlan& plan) {
  return plan.start ? std::move(plan.start->model) : Model(plan.task.blueprint, {.seed = plan.task.seed});
}

TextTask task_of(const Settings& config) {
  TextTask task;
  TrainSettings train;
  std::vector<std::string> problems;
  read_section(config, "data", task.data, problems);
  read_section(config, "train", train, problems);
  refuse("configuration", problems);
  task.blueprint = blueprint_of("configuration: [model]", model_values(config));
  task.seed = static_cast<uint64_t>(train.seed);
  task.from_hub = config.find("model.from") != nullptr;
  return task;
}

}  // namespace locus
