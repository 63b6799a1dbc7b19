#include "locus/train/hub_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/run/run_settings.h"
#include "locus/run/saved_run.h"
#include "locus/run/trained_model.h"
#include "locus/train/derived_model.h"
#include "locus/train/plan_parts.h"
#include "locus/train/task_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// As TrainedModel decides it.
bool is_model_folder(const fs::path& from) { return is_there(from / "config.json") || !is_run(from); }

std::string name_of(HeadKind head) { return field_values(HubStart{.head = head}).at("head"); }

void check_head(const fs::path& from, const Family& family, HeadKind head) {
  std::vector<std::string> names;
  for (const HeadKind one : family.heads) {
    if (one != HeadKind::none) names.push_back(name_of(one));
  }
  if (std::ranges::count(names, name_of(head)) > 0) return;
  fail({Fault::usage, Code::wrong_head}, "model.head is {}, expected {} for the model in '{}'", name_of(head),
       fmt::join(names, ", "), from.string());
}

// The head of a model to start from, and which head the run asks for.
struct HeadChoice {
  const fs::path& from;
  HeadKind own;
  std::vector<std::string> labels;  // of the own head
  std::optional<HeadKind> requested;

  HeadKind head() const { return requested.value_or(own); }
};

// Sets the labels of the task. Returns whether it needs a new head. If the own head has all labels of the
// task, they become those of the head, in its order.
bool needs_new_head(const HeadChoice& choice, TextTask& task) {
  task.labels = label_names(choice.head(), task.data.train);
  if (choice.head() != choice.own) return true;
  const auto missing = std::ranges::find_if(
      task.labels, [&](const std::string& name) { return std::ranges::count(choice.labels, name) == 0; });
  if (missing == task.labels.end()) {
    if (!task.labels.empty()) task.labels = choice.labels;
    return false;
  }
  require(choice.requested.has_value(),
          "unknown label {} in '{}', expected one of the labels of the model in '{}': {}; set model.head to "
          "train a new head",
          quote(*missing), task.data.train, choice.from.string(), fmt::join(choice.labels, ", "));
  return true;
}

ModelFolder open_folder(const fs::path& from, std::optional<HeadKind> requested, TextTask& task) {
  const Config config = read_config(from);
  const Architecture own = read_architecture(config);
  const HeadChoice choice = {from, own.blueprint.head.kind, named_labels(config), requested};
  check_head(from, *own.family, choice.head());
  if (!needs_new_head(choice, task)) return open_model(from);
  return open_model(from, NewHead{.kind = choice.head(), .labels = task.labels, .seed = task.seed});
}

// The blueprint of a run, with the head that the new run asks for.
Blueprint with_head(Blueprint b, HeadKind head, size_t labels) {
  require_loss(head);
  b.head.kind = head;
  if (labels > 0) b.head.labels = static_cast<int64_t>(labels);
  if (b.kind == ModelKind::decoder) {  // as in model folders
    b.head.pooling = Pooling::last;
    b.head.label_bias = head != HeadKind::sequence_class;
  }
  refuse("configuration: [model]", problems(b));
  return b;
}

// Options for one scheme in the settings. If they name a scheme, its other options have their defaults;
// otherwise they change the options of the present scheme.
void replace_scheme(std::string_view prefix, const OptionValues& given, OptionValues& values) {
  const auto of_scheme = [&](const auto& value) { return value.first.starts_with(prefix); };
  if (given.contains(fmt::format("{}name", prefix))) std::erase_if(values, of_scheme);
  for (const auto& [name, value] : given) {
    if (name.starts_with(prefix)) values.insert_or_assign(name, value);
  }
}

// The blueprint with the scheme and the dropout rates in the settings.
Blueprint with_settings(const Blueprint& own, const Settings& settings, int64_t context) {
  OptionValues values = values_of(own);
  const OptionValues schemes = scheme_values(settings);
  replace_scheme("scheme.", schemes, values);
  replace_scheme("global_scheme.", schemes, values);
  for (const char* name : {"dropout", "attention_dropout"}) {
    const Setting* setting = settings.find(fmt::format("model.{}", name));
    if (setting != nullptr) values.insert_or_assign(name, setting->value);
  }
  Blueprint b = blueprint_of("configuration: [model]", values);
  if (!same_scheme(own, b)) b.max_length = std::max(own.max_length, context);
  return b;
}

// One line about the parameters of a replaced scheme.
std::string dropped_note(const Blueprint& before, const Blueprint& after,
                         const std::vector<std::string>& dropped) {
  const std::string change =
      same_scheme(before, after)
          ? fmt::format("global scheme {} replaces {}", after.global.scheme, before.global.scheme)
          : fmt::format("scheme {} replaces {}", after.scheme, before.scheme);
  return dropped.empty() ? fmt::format("{}; no parameters are dropped", change)
                         : fmt::format("{}; dropped: {}", change, fmt::join(dropped, ", "));
}

}  // namespace

void apply_start_defaults(const Settings& settings, const fs::path& from, DataSettings& data) {
  DataSettings own;
  bool is_encoder_decoder = false;
  if (is_model_folder(from)) {
    const Config config = read_config(from);
    const Blueprint b = read_architecture(config).blueprint;
    is_encoder_decoder = b.kind == ModelKind::encoder_decoder;
    own = {.tokenizer = from.string(), .context = std::min(data.context, b.max_length)};
    read_framing(from, config, b, own);
    constexpr const char* kStart = "decoder_start_token_id";
    if (is_encoder_decoder && config.has(kStart)) own.start_token = token_of(config, kStart, b.vocabulary);
  } else {
    const RunTask run = read_run_task(from);
    is_encoder_decoder = run.task.is_encoder_decoder();
    own = run.task.data;
    own.tokenizer = run.checkpoint.string();
  }
  if (!settings.find("data.tokenizer")) data.tokenizer = own.tokenizer;
  if (!settings.find("data.context")) data.context = own.context;
  if (!settings.find("data.framing")) data.framing = own.framing;
  if (!settings.find("data.pair_segments")) data.pair_segments = own.pair_segments;
  if (!settings.find("data.padding_token")) data.padding_token = own.padding_token;
  if (!settings.find("data.mask_token")) data.mask_token = own.mask_token;
  if (!is_encoder_decoder || data.start_token >= 0) return;
  require(own.start_token >= 0,
          "'{}': decoder_start_token_id is missing, expected the id of the token that starts a decoder's "
          "output; or set data.start_token",
          (from / "config.json").string());
  data.start_token = own.start_token;
}

StartedModel open_start(const Settings& settings, const HubStart& hub, TextTask& task) {
  const fs::path from = hub.from;
  const auto requested = settings.find("model.head") == nullptr ? std::nullopt : std::optional(hub.head);
  StartedModel start;
  bool new_head = false;
  if (is_model_folder(from)) {
    start.folder = open_folder(from, requested, task);
    task.blueprint = start.folder->architecture.blueprint;
    start.notes = start.folder->warnings;
  } else {
    TrainedModel trained(from);
    start.notes = trained.warnings();
    const HeadChoice choice = {from, trained.blueprint().head.kind, trained.task().labels, requested};
    new_head = needs_new_head(choice, task);
    task.blueprint = trained.blueprint();
    if (new_head) task.blueprint = with_head(task.blueprint, choice.head(), task.labels.size());
    start.model = std::move(trained.model());
  }
  const Model& own = start.folder ? start.folder->model : *start.model;
  task.blueprint = with_settings(task.blueprint, settings, task.data.context);
  const Blueprint& b = task.blueprint;
  if (!start.folder && scheme_info(b.scheme).extrapolates) {
    task.blueprint.max_length = std::max(b.max_length, task.data.context);
  }
  require(scheme_info(b.scheme).extrapolates || task.data.context <= b.max_length,
          "data.context is {}, expected at most {}, the context window of the model in '{}'",
          task.data.context, b.max_length, from.string());
  if (b == own.blueprint()) return start;
  DerivedModel derived = derive(own, b, new_head, task.seed);
  if (!same_scheme(own.blueprint(), b) || !same_global_scheme(own.blueprint(), b)) {
    start.notes.push_back(dropped_note(own.blueprint(), b, derived.dropped));
  }
  start.model.emplace(std::move(derived.model));
  start.folder.reset();
  return start;
}

}  // namespace locus
