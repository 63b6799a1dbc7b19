// What a command works on as a whole: a file, or stdin.
#pragma once

#include <string>

namespace locus::cli {

// A whole file; "-" is stdin.
std::string read_input(const std::string& file);

}  // namespace locus::cli
