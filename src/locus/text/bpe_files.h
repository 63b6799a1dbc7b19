// The files of byte-level merges, read with every line checked and written so that they read back the same.
#pragma once

#include <filesystem>

#include "locus/text/bpe.h"

namespace locus {

// folder/vocab.bpe: a line "left right" for every merge, the earliest first, bytes spelled as characters;
// folder/encoder.json: {"token": id}. A token that is neither a byte nor the result of a merge is special.
BpeVocabulary read_merges(const std::filesystem::path& folder);

// A rank file: a line "base64 rank" for every token; ranks are ids. Special tokens are not in the file: their
// ids lie behind it, or in its holes. A token has 1024 bytes at most.
BpeVocabulary read_ranks(const std::filesystem::path& file, SpecialTokens specials = {});

// vocabulary.json, and the two files of merges or ranks.tiktoken.
void save_bpe(const Bpe& bpe, const std::filesystem::path& folder);
inline constexpr const char* kMergesFile = "vocab.bpe";
inline constexpr const char* kEncoderFile = "encoder.json";
inline constexpr const char* kRanksFile = "ranks.tiktoken";

}  // namespace locus
