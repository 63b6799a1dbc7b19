// Parses a chat template. A construct of Jinja that Locus does not have is an error that names it and its
// line.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "locus/text/chat_template/lexer.h"
#include "locus/text/chat_template/syntax.h"

namespace locus::chat {

std::vector<Statement> parse_template(std::string_view source);

// The tokens that were not read yet, and how deep the parser is.
class Reader {
 public:
  explicit Reader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  int line() const { return token().line; }
  Token take();
  bool at(TokenKind kind, std::string_view text) const { return token().is(kind, text); }
  bool at_name(std::string_view name) const { return at(TokenKind::name, name); }
  bool at_sign(std::string_view sign) const { return at(TokenKind::sign, sign); }
  bool skip_name(std::string_view name) { return skip(TokenKind::name, name); }
  bool skip_sign(std::string_view sign) { return skip(TokenKind::sign, sign); }
  void expect_sign(std::string_view sign);
  void expect(TokenKind kind);
  std::string expect_name();
  [[noreturn]] void refuse(std::string_view expected) const;  // the next token
  [[noreturn]] void not_supported(std::string_view construct) const;

  // One level of the template, while it exists.
  class Level {
   public:
    explicit Level(Reader& reader);
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Reader& reader_;
  };

 private:
  bool skip(TokenKind kind, std::string_view text);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

// An expression with one part.
inline Expression around(Expression::Kind kind, int line, Expression part) {
  Expression result{.kind = kind, .line = line};
  result.parts.push_back(std::move(part));
  return result;
}

Expression parse_expression(Reader& reader, bool with_choice = true);
Expression parse_tuple(Reader& reader, bool with_choice = true);  // an expression, or several with commas
Expression parse_unary(Reader& reader, bool with_filters);        // a value with what is around it
// The filters after a value, as in {% filter upper | trim %}; `value` is what they are applied to.
Expression parse_filters(Reader& reader, Expression value);

}  // namespace locus::chat
