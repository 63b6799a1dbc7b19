// Classes of transformers whose vocabulary is a SentencePiece model alone: what each makes of the pieces.
#pragma once

#include <span>

#include "locus/base/json.h"
#include "locus/text/pipeline/folder_tokens.h"
#include "locus/text/pipeline/sentencepiece_file.h"

namespace locus {

// Tokens, each with its segment, around the texts kFirstText and kSecondText.
using PieceFrame = std::vector<std::pair<std::string, int>>;
inline constexpr const char* kFirstText = "$A";
inline constexpr const char* kSecondText = "$B";

struct PieceRecipe {
  std::vector<std::string> tokens;  // by id
  std::vector<double> scores;
  int32_t unknown = -1;
  std::vector<AddedToken> special;  // that the pieces bring along
  json::Members steps;              // of the tokenizer.json: "normalizer", "pre_tokenizer", "decoder"
  PieceFrame single, pair;
};

struct PieceSource {
  const SentencePieceModel& model;
  const FolderTokens& tokens;
  std::string where;  // begins errors
};

struct PieceClass {
  std::string_view name;                        // without its Fast
  std::array<std::string_view, 2> model_types;  // that it is taken for where a folder does not name it
  SentencePieceModel::Kind kind;
  RolePresets roles;
  PieceRecipe (*recipe)(const PieceSource& source);
};
std::span<const PieceClass> piece_classes();

// A SentencePiece model of these bytes as a pipeline; `where` begins errors about it.
PipelineParts read_pieces(std::string_view bytes, const std::string& where, const PieceClass& type,
                          const FolderTokens& tokens);

}  // namespace locus
