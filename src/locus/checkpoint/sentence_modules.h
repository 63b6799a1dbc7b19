// modules.json of a sentence-transformers folder: the steps that turn hidden states into an embedding.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/checkpoint/config.h"

namespace locus {

inline constexpr const char* kModulesFile = "modules.json";

// Files with the maximum length and the lowercase setting, whose name changed over time. The first that
// exists counts.
inline constexpr const char* kSentenceLimitFiles[] = {
    "sentence_bert_config.json",      "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",  "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json"};

struct SentenceModule {
  std::string kind;            // Transformer, Pooling, Dense, Normalize: the last word of its type
  std::string place;           // of the type field in the file, for errors
  std::filesystem::path path;  // of its own files inside the folder; empty: no files, or the folder itself
};

struct SentenceModules {
  Config file;
  std::vector<SentenceModule> list;
};

// A module path outside the folder is an error.
SentenceModules read_sentence_modules(const std::filesystem::path& folder);

}  // namespace locus
