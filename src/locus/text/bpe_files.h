// Reads and writes the files of byte-level BPE. Every line is checked, and written files read back the same.
#pragma once

#include <filesystem>

#include "locus/text/bpe.h"

namespace locus {

// folder/vocab.bpe has a line "left right" for every merge, the earliest first, with bytes spelled as
// characters (byte_alphabet.h). folder/encoder.json is {"token": id}. A token that is neither a byte nor the
// result of a merge is a special token.
BpeVocabulary read_merges(const std::filesystem::path& folder);

// A rank file has a line "base64 rank" for every token, at most 1024 bytes long; ranks are ids. Special
// tokens are not in the file: their ids come after its ranks, or fill gaps between them.
BpeVocabulary read_ranks(const std::filesystem::path& file, SpecialTokens specials = {});

// Writes vocabulary.json, and either vocab.bpe and encoder.json or ranks.tiktoken.
void save_bpe(const Bpe& bpe, const std::filesystem::path& folder);
inline constexpr const char* kMergesFile = "vocab.bpe";
inline constexpr const char* kEncoderFile = "encoder.json";
inline constexpr const char* kRanksFile = "ranks.tiktoken";

}  // namespace locus
