// All settings of a training configuration with their defaults, for --help. They come from the structs that
// read them.
#pragma once

#include <string>

namespace locus::cli {

std::string settings_help();

}  // namespace locus::cli
