// Byte-level merging inside one word: of all neighbours the pair with the lowest rank becomes one token, the
// leftmost of equals first, until no pair has a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "locus/text/merge_table.h"

namespace locus {

// Merges ids[0, count) in place and returns how many are left. Quadratic in the count and without any set-up:
// for short words.
size_t merge_short(const MergeTable& table, int32_t* ids, size_t count);
inline constexpr size_t kShortWord = 128;

// The same in O(n log n), by a queue of pairs over a linked list: for a word of ten million letters.
void merge_long(const MergeTable& table, std::vector<int32_t>& ids);

}  // namespace locus
