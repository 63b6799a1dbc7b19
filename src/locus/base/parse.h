// Numbers in texts.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>

namespace locus {

// The whole text as one number, or nothing: no blanks, no plus, and neither infinity nor NaN.
template <class T>
std::optional<T> parse(std::string_view text, int base = 10) {
  const char* const end = text.data() + text.size();
  T value{};
  std::from_chars_result read;
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), end, value);
    if (!std::isfinite(value)) return std::nullopt;
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace locus
