// The third step of a pipeline: a word becomes tokens of the vocabulary.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "locus/text/pipeline/json_part.h"

namespace locus {

struct Piece {
  int32_t id;
  uint32_t begin, end;  // of the word, in bytes
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  virtual std::string_view kind() const = 0;  // "wordpiece", "bpe", "unigram"
  // The tokens of a word that is not empty. They may leave out characters that no token stands for, and may
  // share one that several stand for.
  virtual void append(std::string_view word, std::vector<Piece>& pieces) const = 0;
  // How many bytes of a word a token mostly stands for.
  virtual uint32_t length(int32_t id) const = 0;
  // Every token as the vocabulary spells it, with its id. Asked for once: the model itself may need them no
  // longer.
  virtual std::vector<std::pair<std::string, int32_t>> take_tokens() = 0;
};

// `as_bytes`: words are bytes, and the vocabulary spells each byte as one character.
std::unique_ptr<TokenModel> read_token_model(const JsonPart& part, bool as_bytes);

std::unique_ptr<TokenModel> read_wordpiece(const JsonPart& part);
std::unique_ptr<TokenModel> read_bpe(const JsonPart& part, bool as_bytes);
std::unique_ptr<TokenModel> read_unigram(const JsonPart& part);

struct UnigramVocabulary {
  std::string where;                // begins errors
  std::vector<std::string> tokens;  // by id; an empty one is never found in a text
  std::vector<double> scores;       // of each
  int32_t unknown = -1;
  bool byte_fallback = false;
  bool single_precision = false;  // scores add up as floats, as in SentencePiece itself
};
std::unique_ptr<TokenModel> make_unigram(UnigramVocabulary vocabulary);  // of one token at least

}  // namespace locus
