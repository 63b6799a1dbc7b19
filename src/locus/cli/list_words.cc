#include "locus/cli/list_words.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <string_view>

namespace locus::cli {
namespace {

constexpr std::string_view kMarkedEnd = "]\x1f";

bool takes_value(const CLI::App* command, const std::string& word) {
  if (command == nullptr || !word.starts_with('-')) return false;
  const CLI::Option* option = command->get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

std::vector<std::string> marked_words(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = nullptr;
  for (const CLI::App* each : program.get_subcommands({})) {
    if (!words.empty() && each->get_name() == words.front()) command = each;
  }
  std::vector<std::string> result;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    const bool list = word.starts_with('[') && word.ends_with(']');
    if (list && (i == 0 || !takes_value(command, words[i - 1]))) word += kMarkedEnd.back();
    result.push_back(std::move(word));
  }
  std::ranges::reverse(result);
  return result;
}

void remove_markers(CLI::App& program) {
  const CLI::Validator take_off(
      [](std::string& word) {
        if (word.ends_with(kMarkedEnd)) word.pop_back();
        return std::string();
      },
      "");
  for (CLI::App* command : program.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_positional() && option->get_allow_extra_args()) option->transform(take_off);
    }
  }
}

}  // namespace locus::cli
