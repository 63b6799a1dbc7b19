// The third step of a pipeline: encodes a word with the vocabulary.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/base/json_part.h"
#include "locus/text/merge_table.h"

namespace locus {

struct Piece {
  int32_t id;
  uint32_t begin, end;  // byte range in the word
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  virtual std::string_view kind() const = 0;  // "wordpiece", "bpe", "unigram"
  // Appends the tokens of a word that is not empty. They may skip characters without a token, and several
  // tokens may cover the same character.
  virtual void append(std::string_view word, std::vector<Piece>& pieces) const = 0;
  // The number of bytes of a word that a token usually covers.
  virtual uint32_t length(int32_t id) const = 0;
  // The id of unknown pieces of text, if an encoding keeps their text; -1: none. BPE and WordPiece replace
  // the text by the unknown token.
  virtual int32_t unknown() const { return -1; }
  // Every token as the vocabulary spells it, with its id. Call it once: the model may release the tokens.
  virtual std::vector<std::pair<std::string, int32_t>> take_tokens() = 0;
};

// `as_bytes`: words are bytes, and the vocabulary spells each byte as one character.
std::unique_ptr<TokenModel> read_token_model(const JsonPart& part, bool as_bytes);

std::unique_ptr<TokenModel> read_wordpiece(const JsonPart& part);
std::unique_ptr<TokenModel> read_bpe(const JsonPart& part, bool as_bytes);
std::unique_ptr<TokenModel> read_unigram(const JsonPart& part);

struct UnigramVocabulary {
  std::string where;                // begins errors
  std::vector<std::string> tokens;  // by id; empty tokens never match
  std::vector<double> scores;       // of each token
  int32_t unknown = -1;
  bool byte_fallback = false;
  bool single_precision = false;  // sum scores as floats, like SentencePiece itself
};
std::unique_ptr<TokenModel> make_unigram(UnigramVocabulary vocabulary);  // at least one token

struct MergeVocabulary {
  std::string where;  // begins errors
  std::unordered_map<std::string, int32_t> ids;
  std::vector<Merge> merges;   // unique pairs
  int32_t unknown = -1;        // the token of unknown characters; -1: none
  bool as_bytes = false;       // see read_token_model()
  bool whole_words = false;    // a word that is a token is not built from merges
  bool fuse_unknown = false;   // neighboring unknown characters are one token
  bool byte_fallback = false;  // unknown characters become byte tokens such as <0x0A>
};
std::unique_ptr<TokenModel> make_bpe(const MergeVocabulary& vocabulary);

}  // namespace locus
