// Input that a command reads as a whole.
#pragma once

#include <string>

namespace locus::cli {

// The contents of a file; "-" means stdin.
std::string read_input(const std::string& file);

}  // namespace locus::cli
