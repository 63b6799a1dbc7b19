// Checks the condition of Sequences::contiguous for the positions of one sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace locus {

inline bool rise_by_one(std::span<const int32_t> positions) {
  const auto not_next = [](int32_t a, int32_t b) { return int64_t{b} != int64_t{a} + 1; };
  return std::ranges::adjacent_find(positions, not_next) == positions.end();
}

}  // namespace locus
