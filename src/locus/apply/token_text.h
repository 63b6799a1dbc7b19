// The text of tokens that come one at a time. What a token says may depend on its neighbours (a blank before
// it, a character cut in two), so it is decoded together with those before it, back to where a character
// began.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "locus/text/tokenizer.h"

namespace locus {

class TokenText {
 public:
  // `before` are tokens whose text is known already; what follows goes on behind them.
  TokenText(const Tokenizer& tokenizer, std::vector<int32_t> before);

  // What the token adds; nothing as long as it ends within a character.
  std::string add(int32_t token);
  // What is left of a character that did not end.
  std::string finish();

 private:
  std::string fresh(bool finished);
  std::string text_from(size_t first) const { return tokenizer_.decode_text(std::span(ids_).subspan(first)); }
  std::string text() const { return text_from(from_); }

  const Tokenizer& tokenizer_;
  std::vector<int32_t> ids_;
  size_t from_ = 0;  // decoded again: tokens from here on
  size_t whole_;     // before this token a character ended, and none was open
  size_t given_;     // bytes of the text from `from_` on
};

}  // namespace locus
