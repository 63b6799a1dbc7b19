// BPE merging inside one word: the pair of neighbors with the lowest rank becomes one token, until no pair
// has a rank. On a tie, the leftmost pair merges first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "locus/text/merge_table.h"

namespace locus {

// Merges ids[0, count) in place and returns the number of tokens left. O(n^2) without any setup: for short
// words, count
// <= kShortWord.
size_t merge_short(const MergeTable& table, int32_t* ids, size_t count);
inline constexpr size_t kShortWord = 128;

// The same in O(n log n), with a queue of pairs over a linked list: for words of up to millions of bytes.
void merge_long(const MergeTable& table, std::vector<int32_t>& ids);

}  // namespace locus
