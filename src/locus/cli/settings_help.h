// Every setting of a configuration of locus train, with its preset, for --help: the structs that read them
// say what they are.
#pragma once

#include <string>

namespace locus::cli {

std::string settings_help();

}  // namespace locus::cli
