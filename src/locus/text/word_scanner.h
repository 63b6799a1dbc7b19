// Splits a text into words like GPT-2, before BPE merges tokens inside each word. The pattern is
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// implemented by hand, in one pass that reads every byte a bounded number of times. A byte that is not UTF-8
// belongs to the third kind of run, like U+FFFD.
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// The end of the word that begins at `begin` < text.size(). Words follow each other without gaps, and do not
// depend on the text before them.
size_t word_end(std::string_view text, size_t begin);

// The last place where a text can be cut without changing its words: before a line end that follows a
// printable ASCII character. 0 if there is no such place.
size_t last_cut(std::string_view text);

}  // namespace locus
