// The files of model folders that say what a pipeline is.
#pragma once

#include <filesystem>
#include <unordered_map>

#include "locus/text/pipeline/pipeline.h"

namespace locus {

inline constexpr const char* kPipelineFile = "tokenizer.json";
inline constexpr const char* kWordPieceFile = "vocab.txt";
inline constexpr const char* kBpeVocabularyFile = "vocab.json";
inline constexpr const char* kBpeMergesFile = "merges.txt";

inline constexpr const char* kMarianFile = "source.spm";
inline constexpr const char* kMarianTargetFile = "target.spm";

// A SentencePiece model that is a vocabulary by itself.
inline constexpr const char* kPieceFiles[] = {"tokenizer.model", "spm.model", "spiece.model",
                                              "sentencepiece.bpe.model"};

// All of a folder of the hub that a tokenizer is opened by.
inline constexpr const char* kTokenizerFiles[] = {
    kPipelineFile,     kWordPieceFile, kBpeVocabularyFile, kBpeMergesFile, kMarianFile,
    kMarianTargetFile, kPieceFiles[0], kPieceFiles[1],     kPieceFiles[2], kPieceFiles[3]};

PipelineParts read_pipeline_file(const std::filesystem::path& folder);
// vocab.txt, a token a line, as BERT's pipeline; tokenizer_config.json may say that case counts, or accents.
PipelineParts read_wordpiece_files(const std::filesystem::path& folder);
// vocab.json and merges.txt as the pipeline of the class that tokenizer_config.json names: GPT-2's, RoBERTa's
// or DeBERTa's; without one, by the special tokens that the vocabulary has.
PipelineParts read_merge_files(const std::filesystem::path& folder);
// source.spm and vocab.json as Marian's; target.spm is needed only to learn.
PipelineParts read_marian_files(const std::filesystem::path& folder);

// The one of kPieceFiles that a folder has, or nothing.
std::filesystem::path piece_file_in(const std::filesystem::path& folder);
// That file as the pipeline of the class that tokenizer_config.json or config.json names: DeBERTa v2's, T5's,
// XLM-R's, CamemBERT's or Llama's; without one, by the model's type.
PipelineParts read_piece_file(const std::filesystem::path& file);

using TokenIds = std::unordered_map<std::string, int32_t>;
// The member "added_tokens": those of the names that have an id. One may take the blank before it along.
std::string special_tokens(const TokenIds& ids, const std::vector<std::string>& names,
                           const std::string& blank_taking = "");
JsonText read_tokenizer_config(const std::filesystem::path& folder);
JsonText read_beside(const std::filesystem::path& file);  // {} where there is none

}  // namespace locus
