// Reads a SentencePiece model file, a protocol buffer: the pieces with their scores, and the settings of the
// normalizer. Other fields are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct SentencePiece {
  enum Type : uint64_t { normal = 1, unknown, control, user_defined, unused, byte };
  std::string text;
  float score = 0;
  uint64_t type = normal;
};

struct SentencePieceModel {
  enum Kind : uint64_t { unigram = 1, bpe, word, character };
  std::vector<SentencePiece> pieces;  // not empty, and unique
  int32_t unknown = -1;               // the piece for text that no other piece covers
  uint64_t kind = unigram;
  bool byte_fallback = false;
  bool spaces_as_suffix = false;  // words end with a space instead of beginning with one
  std::string charsmap;           // the compiled rules; empty: none
  bool blank_first = true;        // prepends a space to every text
  bool joins_blanks = true;       // collapses runs of spaces, and strips them at the ends
  bool marks_blanks = true;       // writes spaces as U+2581
};

// `where` begins every error.
SentencePieceModel read_sentencepiece(std::string_view bytes, const std::string& where);

}  // namespace locus
