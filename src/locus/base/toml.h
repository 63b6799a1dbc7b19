// Reads TOML into a flat list. The one place that sees the parser's header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/base/settings.h"

namespace locus {

inline constexpr int kMaxTomlDepth = 8;

// The settings of a text in the order of its lines; `name` is the file's, for the errors.
std::vector<Setting> parse_toml(std::string_view text, const std::string& name);

}  // namespace locus
