// Parses numbers.
#pragma once

#include <optional>
#include <string_view>

namespace locus {

// Parses the whole text as one finite number. Spaces, a plus sign, infinity and NaN give nullopt. T: int,
// int64_t, uint8_t, uint64_t, double.
template <class T>
std::optional<T> parse(std::string_view text, int base = 10);

}  // namespace locus
