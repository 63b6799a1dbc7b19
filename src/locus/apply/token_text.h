// Streaming decoding: the text of tokens that arrive one at a time. The text of a token may depend on its
// neighbors: it may begin with a space or end within a character. So each token is decoded together with the
// tokens before it, back to the start of a character.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "locus/text/tokenizer.h"

namespace locus {

class TokenText {
 public:
  // `before` are the tokens of the prompt. Only the text after them is returned.
  TokenText(const Tokenizer& tokenizer, std::vector<int32_t> before);

  // The text that the token adds; empty while it ends within a character.
  std::string add(int32_t token);
  // The rest of an incomplete character.
  std::string finish();

 private:
  std::string fresh(bool finished);
  std::string text_from(size_t first) const { return tokenizer_.decode_text(std::span(ids_).subspan(first)); }
  std::string text() const { return text_from(from_); }

  const Tokenizer& tokenizer_;
  std::vector<int32_t> ids_;
  size_t from_ = 0;  // tokens from here on are decoded again
  size_t whole_;     // all characters before this token are complete
  size_t given_;     // bytes of text() that were returned
};

}  // namespace locus
