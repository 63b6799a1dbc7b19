// modules.json of a folder of sentence-transformers: what becomes of a model's states, step by step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/checkpoint/config.h"

namespace locus {

inline constexpr const char* kModulesFile = "modules.json";

// How long a text may be, and whether its case counts, under the names it had over time. The first counts.
inline constexpr const char* kSentenceLimitFiles[] = {
    "sentence_bert_config.json",      "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",  "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json"};

struct SentenceModule {
  std::string kind;            // Transformer, Pooling, Dense, Normalize: the last word of its type
  std::string place;           // of the type in the file, for errors
  std::filesystem::path path;  // of its own files inside the folder; empty: none, or the folder itself
};

struct SentenceModules {
  Config file;
  std::vector<SentenceModule> list;
};

// A path that leads out of the folder is refused.
SentenceModules read_sentence_modules(const std::filesystem::path& folder);

}  // namespace locus
