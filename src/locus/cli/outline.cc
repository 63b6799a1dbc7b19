#include "locus/cli/outline.h"

#include <CLI/App.hpp>
#include <algorithm>

#include "locus/scheme/scheme.h"

namespace locus::cli {
namespace {

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const SchemeInfo* info : schemes()) names.emplace_back(info->name);
  return names;
}

bool names_a_scheme(const Argument& argument) {
  return std::ranges::any_of(argument.names, [](const std::string& name) {
    return name == "SCHEME" || name == "--scheme" || name == "--schemes";
  });
}

Argument argument_of(const CLI::Option& option) {
  Argument argument = {.meaning = option.get_description(),
                       .positional = !option.nonpositional(),
                       .required = option.get_required(),
                       .many = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll};
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.positional) argument.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) {
    argument.value = placeholder_of(option);
    argument.choices = names_a_scheme(argument) ? scheme_names() : choices_of(option);
  }
  return argument;
}

}  // namespace

// CLI11 writes "TEXT:{characters,bytes}" for a set of values.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> choices;
  const size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (size_t at = open + 1; at <= close;) {
    const size_t end = std::min(type.find(',', at), close);
    choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

std::string placeholder_of(const CLI::Option& option) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"--file", "FILE"}, {"--index", "FILE"},   {"--input", "FILE"},    {"--study", "FILE"},
      {"--text", "FILE"}, {"--context", "FILE"}, {"--evaluate", "FILE"}, {"--out", "PATH"},
      {"--model", "DIR"}, {"--continue", "RUN"}, {"--set", "KEY=VALUE"}, {"--top-k", "N"},
      {"--top-p", "X"},   {"--min-p", "X"},      {"--temperature", "X"}, {"--repetition-penalty", "X"}};
  const std::string type = option.get_type_name();
  if (type.starts_with("INT") || type.starts_with("UINT")) return "N";
  if (type.starts_with("FLOAT")) return "X";
  for (const auto& [name, placeholder] : kNames) {
    if (option.check_name(std::string(name))) return std::string(placeholder);
  }
  return "TEXT";
}

Outline outline(const CLI::App& command) {
  Outline result = {
      .name = command.get_name(), .summary = command.get_description(), .footer = command.get_footer()};
  for (const CLI::Option* option : command.get_options()) {
    result.arguments.push_back(argument_of(*option));
  }
  return result;
}

std::vector<Outline> outlines(const CLI::App& program) {
  std::vector<Outline> result;
  for (const CLI::App* command : program.get_subcommands({})) result.push_back(outline(*command));
  return result;
}

}  // namespace locus::cli
