#include "locus/cli/help_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "locus/cli/outline.h"

namespace locus::cli {
namespace {

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool takes_value = option->get_items_expected_max() > 0 && option->nonpositional();
    if (!takes_value) return "";
    const std::vector<std::string> choices = choices_of(*option);
    return " " + (choices.empty() ? placeholder_of(*option) : fmt::format("{}", fmt::join(choices, "|")));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
    if (option->get_required() && option->nonpositional()) text += " (required)";
    return text;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() {
  const auto format = std::make_shared<HelpFormat>();
  format->label("Positionals", "Arguments");
  format->label("SUBCOMMAND", "COMMAND");
  return format;
}

}  // namespace locus::cli
