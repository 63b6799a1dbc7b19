// The tokens of a text as one JSON line: {"text": .., "ids": .., "pieces": .., "offsets": ..}.
#pragma once

#include <string_view>

#include "locus/cli/text_chunks.h"
#include "locus/text/tokenizer.h"

namespace locus::cli {

// Written in pieces, because the line of a long text is many times larger than the text.
void write_json(const Tokenizer& tokenizer, std::string_view text, const Encoding& encoding,
                const Write& write);

}  // namespace locus::cli
