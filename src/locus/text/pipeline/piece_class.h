// The tokenizer classes of transformers whose vocabulary is a SentencePiece model, and how each uses the
// pieces.
#pragma once

#include <span>

#include "locus/base/json.h"
#include "locus/text/pipeline/folder_tokens.h"
#include "locus/text/pipeline/sentencepiece_file.h"

namespace locus {

// Special tokens and the texts kFirstText and kSecondText, each with its segment.
using PieceFrame = std::vector<std::pair<std::string, int>>;
inline constexpr const char* kFirstText = "$A";
inline constexpr const char* kSecondText = "$B";

struct PieceRecipe {
  std::vector<std::string> tokens;  // by id
  std::vector<double> scores;
  int32_t unknown = -1;
  std::vector<AddedToken> special;  // special tokens among the pieces
  std::string_view charsmap = {};   // of the file, if the class uses it; it is then the normalizer
  json::Members steps;              // members of tokenizer.json: "normalizer", "pre_tokenizer", "decoder"
  PieceFrame single, pair;
};

struct PieceSource {
  const SentencePieceModel& model;
  const FolderTokens& tokens;
  std::string where;  // begins errors
};

struct PieceClass {
  std::string_view name;                        // without "Fast"
  std::array<std::string_view, 2> model_types;  // model types that imply this class if the folder names none
  SentencePieceModel::Kind kind;
  RolePresets roles;
  PieceRecipe (*recipe)(const PieceSource& source);
};
std::span<const PieceClass> piece_classes();

// Makes a pipeline of the bytes of a SentencePiece model. `where` begins errors.
PipelineParts read_pieces(std::string_view bytes, const std::string& where, const PieceClass& type,
                          const FolderTokens& tokens);

}  // namespace locus
