// What a command works on: words of the command line, files, or stdin.
#pragma once

#include <string>
#include <vector>

namespace locus::cli {

// A whole file; "-" is stdin.
std::string read_input(const std::string& file);

}  // namespace locus::cli
