// vocabulary.json declares the kind of tokenizer in a folder. The kinds bytes and characters need no other
// file.
//   {"kind": "characters", "characters": ["a", "b"], "specials": {"<mask>": 2}}
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/text/special_tokens.h"

namespace locus {

struct VocabularyFile {
  std::string kind;
  std::vector<std::string> characters;  // for the kind "characters" only
  SpecialTokens specials;
};

inline constexpr const char* kVocabularyFile = "vocabulary.json";

VocabularyFile read_vocabulary_file(const std::filesystem::path& folder);
void write_vocabulary_file(const std::filesystem::path& folder, const VocabularyFile& file);

}  // namespace locus
