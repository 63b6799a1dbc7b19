// A SentencePiece model file: a protocol buffer of which the pieces with their scores and the settings of the
// normalizer are read, and every other field is skipped.
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
  std::vector<SentencePiece> pieces;  // none is empty or stands twice
  int32_t unknown = -1;               // the piece for what no other covers
  uint64_t kind = unigram;
  bool byte_fallback = false;
  bool blanks_behind = false;  // a word ends with its blank instead of beginning with it
  std::string charsmap;        // the compiled rules; empty: there are none
  bool blank_first = true;     // in front of every text
  bool joins_blanks = true;    // several become one, and none are left at the ends
  bool marks_blanks = true;    // written as U+2581
};

// `where` begins every error.
SentencePieceModel read_sentencepiece(std::string_view bytes, const std::string& where);

}  // namespace locus
