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

// Whether a key is an option of a scheme, also of one of combined schemes, as model.scheme.t5.buckets.
bool is_scheme_key(std::string_view key) {
  return key.starts_with("model.scheme.") || key.starts_with("model.global_scheme.");
}

void check_sections(const Settings& settings, std::vector<std::string>& problems) {
  for (const Setting& setting : settings.all()) {
    const size_t dot = setting.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : setting.key.substr(0, dot);
    if (std::ranges::count(kSections, section) > 0 || is_scheme_key(setting.key)) continue;
    problems.push_back(fmt::format(
        "unknown key {}, expected one in [model], [model.scheme], [model.global_scheme], [data] or [train]{}",
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
    if (is_scheme_key(setting.key)) values.emplace(setting.key.substr(kModelKeys.size()), setting.value);
  }
  return values;
}

OptionValues model_values(const Settings& settings) {
  OptionValues values = settings.section("model");
  values.erase("from");
  values.merge(scheme_values(settings));
  return values;
}

// Checks what can be checked before the data are read.
void check_model(const Settings& settings, std::vector<std::string>& problems) {
  try {
    const Blueprint blueprint = blueprint_of("[model]", model_values(settings));
    if (blueprint.head == HeadKind::none || blueprint.head == HeadKind::embedding) {
      problems.emplace_back(
          "[model] head none and embedding have no loss, expected a head that predicts tokens, labels or "
          "answers");
    }
  } catch (const Error& error) {
    problems.emplace_back(error.what());
  }
}

// Makes the path in a setting absolute.
void resolve_path(std::string& name, const Settings& settings, const char* key, const fs::path& folder) {
  const Setting* setting = settings.find(key);
  if (setting == nullptr || name.empty() || name == "bytes") return;
  const bool in_file = setting->line > 0;  // otherwise from the command line
  const fs::path found = absolute_path(in_file ? folder / name : fs::path(name));
  const char* data = std::getenv("LOCUS_DATA");
  const fs::path other = data == nullptr ? fs::path() : absolute_path(data) / fs::path(name).filename();
  if (!is_there(found) && !is_there(other)) {
    fail({Fault::io, Code::missing_file, "set LOCUS_DATA to a folder that contains it"},
         "{} not found: '{}'{}", key, found.string(),
         data == nullptr ? "" : fmt::format(", nor '{}'", other.string()));
  }
  name = (is_there(found) ? found : other).string();
}

// The size that remains after this fraction is split off, but at least one.
int64_t size_without(int64_t size, double fraction) {
  const auto cut = static_cast<int64_t>(std::llround(static_cast<double>(size) * fraction));
  return fraction > 0 ? std::max<int64_t>(size - std::max<int64_t>(cut, 1), 0) : size;
}

// Splits off the end of a list.
template <class T>
std::vector<T> split_off(std::vector<T>& list, double fraction) {
  const int64_t keep = size_without(std::ssize(list), fraction);
  std::vector<T> rest(std::make_move_iterator(list.begin() + keep), std::make_move_iterator(list.end()));
  list.resize(static_cast<size_t>(keep));
  return rest;
}

void read_data(RunPlan& plan) {
  const TextTask& task = plan.task;
  const fs::path file = task.data.train;
  const double fraction = task.data.validation.empty() ? task.data.validation_split : 0;
  if (task.on_streams()) {
    const auto stream = open_tokens(file, *task.tokenizer);
    const int64_t keep = size_without(stream->size(), fraction);
    plan.training = window_samples(task, std::make_shared<StreamSlice>(stream, 0, keep));
    if (fraction > 0) {
      plan.validation = window_samples(task, std::make_shared<StreamSlice>(stream, keep, stream->size()));
    }
  } else {
    const std::string name = fmt::format("'{}'", file.string());
    std::vector<Sample> samples = example_samples(task, file);
    const size_t all = samples.size();
    if (fraction > 0) plan.validation = std::make_unique<ListedSamples>(split_off(samples, fraction), name);
    require(!samples.empty(),
            "no examples left for training in {}: data.validation_split is {} and the file has {}; lower the "
            "split, "
            "or set data.validation to a file",
            name, fraction, all == 1 ? "1 example" : fmt::format("{} examples", all));
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

// Completes the task of a model that is trained from scratch.
void plan_model(const Settings& settings, TextTask& task) {
  OptionValues model = model_values(settings);
  task.labels = label_names(blueprint_of("[model]", model).head, task.data.train);
  model.emplace("vocabulary", fmt::format("{}", task.tokenizer->size()));
  model.emplace("max_length", fmt::format("{}", task.data.context));
  if (!task.labels.empty()) model.emplace("labels", fmt::format("{}", task.labels.size()));
  task.blueprint = blueprint_of("configuration: [model]", model);
  int64_t& start = task.data.start_token;
  if (task.is_encoder_decoder() && start < 0) start = task.tokenizer->special(kStartToken);
}

// Takes data settings that are not given from the folder that the model comes from.
void apply_folder_defaults(const Settings& settings, const fs::path& from, DataSettings& data) {
  const Config config = read_config(from);
  const Blueprint own = read_architecture(config).blueprint;
  if (!settings.find("data.tokenizer")) data.tokenizer = from.string();
  if (!settings.find("data.context")) data.context = std::min(data.context, own.max_length);
  if (own.kind != ModelKind::encoder_decoder || data.start_token >= 0) return;
  constexpr const char* kStart = "decoder_start_token_id";
  require(config.has(kStart),
          "'{}': {} is missing, expected the id of the token that starts a decoder's output; or set "
          "data.start_token",
          config.path().string(), kStart);
  data.start_token = token_of(config, kStart, own.vocabulary);
}

// Completes the task of a model from a folder, and opens the folder.
ModelFolder plan_start(const Settings& settings, const HubStart& hub, TextTask& task) {
  const bool given = settings.find("model.head") != nullptr;
  return open_start(hub.from, given ? std::optional(hub.head) : std::nullopt, task);
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
    problems.emplace_back(
        "[model.scheme] cannot be combined with model.from: the folder defines the scheme; expected no such "
        "section");
  }
  if (task.data.train.empty()) problems.emplace_back("[data] train is missing, expected a file to train on");
  refuse("configuration", problems);
  resolve_path(task.data.train, settings, "data.train", folder);
  resolve_path(task.data.validation, settings, "data.validation", folder);
  resolve_path(task.data.tokenizer, settings, "data.tokenizer", folder);
  resolve_path(hub.from, settings, "model.from", folder);
  if (from_hub) apply_folder_defaults(settings, hub.from, task.data);

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
  // A folder may have fewer rows than its tokenizer has tokens: only a text with such a token is an error.
  require(from_hub || blueprint.vocabulary >= task.tokenizer->size(),
          "model.vocabulary is {}, expected at least {}, the number of tokens of the tokenizer",
          blueprint.vocabulary, task.tokenizer->size());
  require(task.labels.empty() || blueprint.labels >= static_cast<int64_t>(task.labels.size()),
          "model.labels is {}, expected at least {}, the number of labels in '{}'", blueprint.labels,
          task.labels.size(), task.data.train);
  if (!task.labels.empty()) name_remaining_labels(task.labels, blueprint.labels);
  require(task.data.start_token < blueprint.vocabulary,
          "data.start_token is {}, expected an id below model.vocabulary, {}", task.data.start_token,
          blueprint.vocabulary);
  plan.config = resolved(plan);
  read_data(plan);
  return plan;
}

Model initial_model(RunPlan& plan) {
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
