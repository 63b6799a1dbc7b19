// The text of tokens that come one at a time. What a token says may depend on its neighbours (a blank before
// it, a character cut in two), so those before it, back to where a character ended, are decoded again with
// it.
#pragma once

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

  const Tokenizer& tokenizer_;
  std::vector<int32_t> ids_;
  size_t from_ = 0;  // where tokens whose text ended with a whole character begin
  size_t shown_;     // tokens whose text was given
};

}  // namespace locus
