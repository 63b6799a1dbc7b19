// Writes a tokenizer of Locus as a tokenizer.json of Hugging Face tokenizers that produces the same ids.
//   bytes, merges, ranks    byte-level BPE with the word pattern of GPT-2; bytes have no merges
//   characters              BPE without merges over the whole text
// Three things differ. There, the name of a special token in a text is that token; bytes that are not UTF-8
// are decoded as U+FFFD; and a character that is not in a character vocabulary without <unk> is dropped,
// which is an error here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "locus/text/tokenizer.h"

namespace locus {

// Special tokens around a text: start A between B, or A end for a text without a second one.
struct FrameTokens {
  std::optional<int32_t> start = {}, between = {}, end = {};
  bool empty() const { return !start && !between && !end; }
};

// Writes a tokenizer into a folder for Hugging Face tokenizers: tokenizer.json, or unchanged the files of a
// model folder that it was loaded from. The written tokenizer also adds the tokens of `frame`.
void save_for_hub(const Tokenizer& tokenizer, const FrameTokens& frame, const std::filesystem::path& folder);

}  // namespace locus
