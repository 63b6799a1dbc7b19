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
  std::optional<T> value = T{};
  std::from_chars_result read;
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), end, *value);
  } else {
    read = std::from_chars(text.data(), end, *value, base);
  }
  bool right = read.ec == std::errc() && read.ptr == end;
  if constexpr (std::floating_point<T>) right = right && std::isfinite(*value);
  if (!right) value.reset();
  return value;
}

}  // namespace locus
