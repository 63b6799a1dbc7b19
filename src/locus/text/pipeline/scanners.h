// Splits a text into words like Llama 3, GPT-4 and related models, by hand and in one pass. The pattern is
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//   | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// A byte that is not UTF-8 matches [^\s\p{L}\p{N}].
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// The end of the word that begins at `begin` < text.size(). Words follow each other without gaps.
size_t word_end_by_threes(std::string_view text, size_t begin);
size_t word_end_by_digits(std::string_view text, size_t begin);  // with \p{N} instead of \p{N}{1,3}

}  // namespace locus
