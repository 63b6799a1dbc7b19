// The tokenizer as the first argument of locus tokenize.
#pragma once

#include <string>
#include <vector>

namespace locus::cli {

enum class Words { texts, ids };  // the arguments after the tokenizer

// Removes the first word and returns it if it is a tokenizer: a folder, a .tiktoken file, or the word bytes
// before another word. Otherwise returns bytes. Throws if the first of texts was probably meant as a
// tokenizer, so that its letters do not become tokens silently. That is
//   a word without spaces before other texts
//   a path to nothing in a folder that exists
std::string take_tokenizer(std::vector<std::string>& words, Words kind);

}  // namespace locus::cli
