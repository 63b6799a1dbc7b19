#include "locus/base/parse.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace locus {

template <class T>
std::optional<T> parse(std::string_view text, [[maybe_unused]] int base) {
  const char* const end = text.data() + text.size();
  T value{};
  std::from_chars_result read;
  bool finite = true;
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), end, value);
    finite = std::isfinite(value);
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole && finite ? std::optional(value) : std::nullopt;
}

template std::optional<int> parse(std::string_view, int);
template std::optional<int64_t> parse(std::string_view, int);
template std::optional<uint8_t> parse(std::string_view, int);
template std::optional<uint64_t> parse(std::string_view, int);
template std::optional<double> parse(std::string_view, int);

}  // namespace locus
