#include "locus/run/run_settings.h"

#include "locus/base/error.h"
#include "locus/base/parse.h"

namespace locus {
namespace {

constexpr std::string_view kModelKeys = "model.";

}  // namespace

bool is_scheme_key(std::string_view key) {
  return key.starts_with("model.scheme.") || key.starts_with("model.global_scheme.");
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

TextTask task_of(const Settings& config) {
  TextTask task;
  std::vector<std::string> problems;
  read_section(config, "data", task.data, problems);
  refuse("configuration", problems);
  task.blueprint = blueprint_of("configuration: [model]", model_values(config));
  const Setting* seed = config.find("train.seed");
  task.seed = seed == nullptr ? 0 : parse<uint64_t>(seed->value).value_or(0);
  // Older runs do not have the setting.
  if (config.find("data.framing") == nullptr && config.find("model.from") != nullptr) {
    task.data.framing = Framing::tokenizer;
  }
  return task;
}

}  // namespace locus
