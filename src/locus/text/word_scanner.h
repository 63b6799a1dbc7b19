// Cuts a text into words the way GPT-2 does, before merges happen inside each of them. Its pattern:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// by hand, in one pass: every byte is looked at a bounded number of times. A byte that is not UTF-8 is of the
// third kind of run, as U+FFFD would be.
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// Where the word ends that begins at `begin` < text.size(). Words follow each other without a gap, and a word
// depends on nothing before it.
size_t word_end(std::string_view text, size_t begin);

// The last place where a text can be cut in two that have the same words apart as together: before a line end
// behind a printed ASCII character. 0: there is none.
size_t last_cut(std::string_view text);

}  // namespace locus
