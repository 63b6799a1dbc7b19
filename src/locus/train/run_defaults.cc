#include "locus/train/run_defaults.h"

#include <optional>

#include "locus/base/error.h"
#include "locus/run/run_folder.h"

namespace locus {
namespace {

constexpr std::string_view kOfModels[] = {"model.scheme.name", "model.pooling", "model.init_std"};
constexpr std::string_view kOfTraining[] = {"train.warmup", "train.clip"};

// The newest configuration that can be read. Damaged checkpoints are reported when the run resumes.
std::optional<Settings> saved_config(const std::filesystem::path& run) {
  for (const int64_t step : saved_steps(run)) {
    try {
      return Settings::read(step_folder(run, step) / "config.toml");
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace

void keep_defaults(Settings& settings, const std::filesystem::path& run) {
  const std::optional<Settings> saved = saved_config(run);
  if (!saved) return;
  const auto keep = [&](std::string_view key) {
    const Setting* before = saved->find(key);
    if (before != nullptr && settings.find(key) == nullptr) settings.set(key, before->value);
  };
  for (const std::string_view key : kOfTraining) keep(key);
  if (settings.find("model.from") != nullptr) return;  // the folder defines the model
  for (const std::string_view key : kOfModels) keep(key);
}

}  // namespace locus
