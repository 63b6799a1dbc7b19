// The command line as data, read off the definition that also parses it: what completions and the manual are
// made of, so that neither can fall behind.
#pragma once

#include <string>
#include <vector>

#include "locus/cli/command.h"

namespace locus::cli {

struct Argument {
  std::vector<std::string> names;  // "-h", "--help"; of a positional one what --help calls it
  std::string value;               // what stands for its value; empty: a flag
  std::string meaning;
  std::vector<std::string> choices;  // its values, where they are known
  bool positional = false, required = false, many = false;
};

struct Outline {
  std::string name, summary, footer;
  std::vector<Argument> arguments;
};

Outline outline(const CLI::App& command);

// Those of all commands, in the order of --help.
std::vector<Outline> outlines(const CLI::App& program);

}  // namespace locus::cli
