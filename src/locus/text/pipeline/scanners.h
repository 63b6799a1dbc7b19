// Cuts a text into words the way Llama 3, GPT-4 and their like do. Their pattern, by hand, in one pass:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//   | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// A byte that is not UTF-8 is of the kind [^\s\p{L}\p{N}].
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// Where the word ends that begins at `begin` < text.size(). Words follow each other without a gap.
size_t word_end_by_threes(std::string_view text, size_t begin);
size_t word_end_by_digits(std::string_view text, size_t begin);  // the same with \p{N} for \p{N}{1,3}

}  // namespace locus
