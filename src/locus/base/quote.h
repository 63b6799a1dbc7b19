// Text from outside, as it may stand in an error: between quotes, without control characters, and cut when it
// is long.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace locus {

// Bytes that no terminal should get are written as \x1f, but for those that are `kept`.
std::string without_controls(std::string_view text, std::string_view kept = {});

// Becomes text only when it is formatted: a check that holds pays nothing for the words of its error. It
// keeps nothing but where the original is.
struct Quoted {
  std::string_view original;
  std::string text() const;
};

inline Quoted quote(std::string_view text) { return {text}; }

}  // namespace locus

template <>
struct fmt::formatter<locus::Quoted> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const locus::Quoted& quoted, Context& context) const {
    return formatter<std::string>::format(quoted.text(), context);
  }
};
