// A text without the spaces and tabs around it.
#pragma once

#include <string_view>

namespace locus {

inline std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace locus
