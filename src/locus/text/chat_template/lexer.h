// Cuts a chat template into tokens, with the whitespace control of transformers: trim_blocks and
// lstrip_blocks, which remove a line that has only a block, and the signs of {%- -%}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locus::chat {

enum class TokenKind {
  text,
  block_begin,
  block_end,
  output_begin,
  output_end,
  name,
  string,
  integer,
  real,
  sign,
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;  // a string is without quotes and escapes
  int line = 1;

  bool is(TokenKind other, std::string_view spelling) const { return kind == other && text == spelling; }
};

// The last token is `end`.
std::vector<Token> tokens_of(std::string_view source);

// The text of a string literal, whose quotes are already removed.
std::string unescaped(std::string_view literal);

}  // namespace locus::chat
