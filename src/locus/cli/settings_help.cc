#include "locus/cli/settings_help.h"

#include <fmt/format.h>

#include "locus/cli/terminal.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/run/text_task.h"
#include "locus/train/run_defaults.h"
#include "locus/train/trainer.h"

namespace locus::cli {
namespace {

template <class Settings>
std::string section(std::string_view name) {
  std::vector<std::vector<std::string>> rows;
  for (const Field& field : fields_of(Settings())) {
    const std::string_view choices = field.spec.choices;
    rows.push_back({fmt::format("{} = {}", field.spec.name, field.value.empty() ? "''" : field.value),
                    fmt::format("{}{}{}", field.spec.help, choices.empty() ? "" : ": ", choices)});
  }
  return fmt::format("[{}]\n{}", name, table(rows, terminal_width()));
}

}  // namespace

std::string settings_help() {
  return section<DataSettings>("data") + section<TrainSettings>("train") + section<Blueprint>("model") +
         fmt::format(
             "[model.scheme]\nname = {}, and the options listed by `locus schemes NAME`\n"
             "[model.global_scheme]\nthe scheme of the global-attention layers (global_every); by default "
             "the same "
             "as model.scheme",
             kDefaultScheme);
}

}  // namespace locus::cli
