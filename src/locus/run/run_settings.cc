#include "locus/run/run_settings.h"

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

constexpr std::string_view kModelKeys = "model.";

// The seed among the settings of training, whose other fields belong to train/.
int64_t seed_of(const Settings& config) {
  constexpr int64_t kPreset = 1;
  const Setting* setting = config.find("train.seed");
  if (setting == nullptr) return kPreset;
  const auto seed = parse<int64_t>(setting->value);
  require(seed && *seed >= 0, "configuration: [train] seed is {}, expected a whole number, 0 or more",
          quote(setting->value));
  return *seed;
}

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
  task.seed = static_cast<uint64_t>(seed_of(config));
  // Older runs do not have the setting.
  if (config.find("data.framing") == nullptr && config.find("model.from") != nullptr) {
    task.data.framing = Framing::tokenizer;
  }
  return task;
}

}  // namespace locus
