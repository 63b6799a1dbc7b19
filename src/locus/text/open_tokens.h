// A file to train on, whichever kind it is.
#pragma once

#include <filesystem>
#include <memory>

#include "locus/text/token_stream.h"
#include "locus/text/tokenizer.h"

namespace locus {

// A token file as it is, which must have been made with a vocabulary of the tokenizer's size, special tokens
// counted or not; anything else is a text, and its tokens are in memory. What is called *.tokens must be the
// first.
std::shared_ptr<const TokenStream> open_tokens(const std::filesystem::path& file, const Tokenizer& tokenizer);

}  // namespace locus
