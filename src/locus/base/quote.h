// Quotes untrusted text for an error message: without control characters, and shortened if it is long.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace locus {

// Escapes control characters, as \x1f, except those in `allowed`.
std::string without_controls(std::string_view text, std::string_view allowed = {});

// Creates its text only when it is formatted, so that a check that passes does not pay for its error message.
// It refers to the original, which must outlive it.
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
