// Formats a list of problems for an error: one per line, at most `most` of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

namespace locus {

inline std::string listed(std::span<const std::string> problems, size_t most) {
  return fmt::format("\n  {}{}", fmt::join(problems.first(std::min(problems.size(), most)), "\n  "),
                     problems.size() > most ? "\n  .." : "");
}

}  // namespace locus
