// Parses TOML into a flat list. Only toml.cc includes the parser's header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/base/settings.h"

namespace locus {

inline constexpr int kMaxTomlDepth = 8;

// The settings in the order of their lines. `name` is the file's name, for errors.
std::vector<Setting> parse_toml(std::string_view text, const std::string& name);

}  // namespace locus
