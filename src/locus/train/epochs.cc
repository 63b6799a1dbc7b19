#include "locus/train/epochs.h"

#include <algorithm>
#include <cmath>

#include "locus/base/parse.h"
#include "locus/base/synonyms.h"

namespace locus {
namespace {

constexpr std::string_view kSection = "train.";

bool means_epochs(std::string_view name) {
  const auto is_one = [&](const Synonym& each) {
    return each.elsewhere == name && each.here == "steps" &&
           each.note.find("epochs") != std::string_view::npos;
  };
  return std::ranges::any_of(synonyms(), is_one);
}

int64_t tokens_in(const Samples& samples) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < samples.size(); ++i) tokens += samples.length(i);
  return tokens;
}

}  // namespace

const Setting* epochs_setting(const Settings& settings) {
  const auto found = std::ranges::find_if(settings.all(), [](const Setting& setting) {
    return setting.key.starts_with(kSection) &&
           means_epochs(std::string_view(setting.key).substr(kSection.size()));
  });
  return found == settings.all().end() ? nullptr : &*found;
}

OptionValues training_values(const Settings& settings, std::string_view ignored) {
  OptionValues values = settings.section("train");
  if (ignored.starts_with(kSection)) values.erase(std::string(ignored.substr(kSection.size())));
  return values;
}

Error with_steps_of_epochs(const Error& error, const Settings& settings,
                           const std::function<std::string(const Setting&)>& steps) {
  const Setting* epochs = epochs_setting(settings);
  if (epochs == nullptr) return error;
  try {
    const std::string hint = steps(*epochs);
    return hint.empty() ? error : error.with_hint(hint);
  } catch (const Error&) {  // there are other errors, which the first one lists
    return error;
  }
}

std::string steps_of_epochs(const Setting& setting, const RunPlan& plan) {
  const double epochs = parse<double>(setting.value).value_or(0);
  if (!(epochs > 0) || epochs > 1e6) return "";
  const DataSettings& data = plan.task.data;
  const bool by_tokens = data.tokens_per_step > 0;
  const int64_t size = by_tokens ? tokens_in(*plan.training) : plan.training->size();
  const int64_t per_step = by_tokens ? data.tokens_per_step : data.batch_size;
  const double steps = std::ceil(epochs * static_cast<double>(size) / static_cast<double>(per_step));
  return fmt::format("your data have {} {}, and a step takes {}{}: {} epoch{} {} train.steps = {:.0f}", size,
                     by_tokens ? "tokens" : "samples", by_tokens ? "up to " : "", per_step, setting.value,
                     epochs == 1 ? "" : "s", epochs == 1 ? "is" : "are", steps);
}

}  // namespace locus
