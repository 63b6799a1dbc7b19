// The command line as data, taken from the definitions that parse it. Shell completions and the manual page
// are generated from it, so they cannot get out of date.
#pragma once

#include <string>
#include <vector>

#include "locus/cli/command.h"

namespace locus::cli {

struct Argument {
  std::vector<std::string> names;  // "-h", "--help"; for a positional argument its name in --help
  std::string value;               // placeholder of its value; empty for a flag
  std::string meaning;
  std::vector<std::string> choices;  // its possible values, if they are known
  bool positional = false, required = false, many = false;
};

struct Outline {
  std::string name, summary, footer;
  std::vector<Argument> arguments;
};

// The words that an option accepts, if only certain words are valid.
std::vector<std::string> choices_of(const CLI::Option& option);
// What help writes for the value of an option: "N" for a whole number, "X" for a number, "FILE", "TEXT".
std::string placeholder_of(const CLI::Option& option);

Outline outline(const CLI::App& command);

// The outlines of all commands, in the order of --help.
std::vector<Outline> outlines(const CLI::App& program);

}  // namespace locus::cli
