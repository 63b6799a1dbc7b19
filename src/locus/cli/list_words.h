// CLI11 2.1.2, the version of Debian 12, parses a word such as "[a, b]" as a list and cannot be told not to.
// But a text may look like that: "[MASK] ran [MASK]". So positional words get a marker at their end before
// CLI11 sees them, and lose it afterwards.
#pragma once

#include <string>
#include <vector>

#include "locus/cli/command.h"

namespace locus::cli {

// The arguments of the program in reverse order, as CLI11 expects them, with markers.
std::vector<std::string> marked_words(const CLI::App& program, const std::vector<std::string>& words);
// Removes the markers from the positional arguments of every command.
void remove_markers(CLI::App& program);

}  // namespace locus::cli
