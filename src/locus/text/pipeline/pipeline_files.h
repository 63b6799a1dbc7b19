// Reads the files of model folders that define a pipeline.
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

// Names of a SentencePiece model that is a complete vocabulary.
inline constexpr const char* kPieceFiles[] = {"tokenizer.model", "spm.model", "spiece.model",
                                              "sentencepiece.bpe.model"};

// All tokenizer files of a Hugging Face model folder.
inline constexpr const char* kTokenizerFiles[] = {
    kPipelineFile,     kWordPieceFile, kBpeVocabularyFile, kBpeMergesFile, kMarianFile,
    kMarianTargetFile, kPieceFiles[0], kPieceFiles[1],     kPieceFiles[2], kPieceFiles[3]};

PipelineParts read_pipeline_file(const std::filesystem::path& folder);
// vocab.txt, one token per line, with the pipeline of BERT. tokenizer_config.json may disable lowercasing and
// accent stripping.
PipelineParts read_wordpiece_files(const std::filesystem::path& folder);
// vocab.json and merges.txt, with the pipeline of the class in tokenizer_config.json: GPT-2, RoBERTa or
// DeBERTa. Without a class, the special tokens of the vocabulary decide.
PipelineParts read_merge_files(const std::filesystem::path& folder);
// source.spm and vocab.json of Marian. target.spm is needed only for training.
PipelineParts read_marian_files(const std::filesystem::path& folder);

// The first of kPieceFiles that exists in a folder, or an empty path.
std::filesystem::path piece_file_in(const std::filesystem::path& folder);
// That file, with the pipeline of the class in tokenizer_config.json or config.json: DeBERTa v2, T5, XLM-R,
// CamemBERT or Llama. Without a class, the model_type decides.
PipelineParts read_piece_file(const std::filesystem::path& file);

using TokenIds = std::unordered_map<std::string, int32_t>;
// The member "added_tokens": the names that have an id. The token `blank_taking` includes the space before
// it.
std::string special_tokens(const TokenIds& ids, const std::vector<std::string>& names,
                           const std::string& blank_taking = "");
json::Document read_tokenizer_config(const std::filesystem::path& folder);
json::Document read_optional_json(const std::filesystem::path& file);  // {} if the file does not exist

}  // namespace locus
