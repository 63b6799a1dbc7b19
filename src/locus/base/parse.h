// Numbers in texts.
#pragma once

#include <optional>
#include <string_view>

namespace locus {

// The whole text as one number, or nothing: no blanks, no plus, and neither infinity nor NaN. T: int,
// int64_t, uint8_t, uint64_t, double.
template <class T>
std::optional<T> parse(std::string_view text, int base = 10);

}  // namespace locus
