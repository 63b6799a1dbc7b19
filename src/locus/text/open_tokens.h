// Opens training data: a token file or a text file.
#pragma once

#include <filesystem>
#include <memory>

#include "locus/text/token_stream.h"
#include "locus/text/tokenizer.h"

namespace locus {

// Opens a token file in place. Its vocabulary must have the size of the tokenizer's, with or without special
// tokens. Any other file is a text, which is encoded into memory. A file named *.tokens must be a token file.
std::shared_ptr<const TokenStream> open_tokens(const std::filesystem::path& file, const Tokenizer& tokenizer);

}  // namespace locus
