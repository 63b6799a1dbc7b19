// Reads the sections of a run's configuration.
#pragma once

#include <string>
#include <vector>

#include "locus/base/fields.h"
#include "locus/base/settings.h"
#include "locus/run/text_task.h"

namespace locus {

// Reads the fields of `object` from a section, and adds its problems to the list.
template <class T>
void read_section(const OptionValues& values, const std::string& section, T& object,
                  std::vector<std::string>& problems) {
  for (const std::string& problem : read_fields(object, values)) {
    problems.push_back(fmt::format("[{}] {}", section, problem));
  }
}
template <class T>
void read_section(const Settings& settings, const std::string& section, T& object,
                  std::vector<std::string>& problems) {
  read_section(settings.section(section), section, object, problems);
}

// Whether a key is an option of a scheme, also of one of combined schemes, as model.scheme.t5.buckets.
bool is_scheme_key(std::string_view key);
// The fields of a blueprint in [model], and those in its sections [model.scheme] and [model.global_scheme].
OptionValues model_values(const Settings& settings);
OptionValues scheme_values(const Settings& settings);

// The task that a resolved configuration describes, without tokenizer and labels. Reads what plan_run() wrote
// (train/run_plan.h).
TextTask task_of(const Settings& config);

}  // namespace locus
