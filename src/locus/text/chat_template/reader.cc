#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/chat_template/parser.h"

namespace locus::chat {
namespace {

std::string described(const Token& token) {
  switch (token.kind) {
    case TokenKind::text:
      return "text";
    case TokenKind::block_begin:
      return "{%";
    case TokenKind::block_end:
      return "%}";
    case TokenKind::output_begin:
      return "{{";
    case TokenKind::output_end:
      return "}}";
    case TokenKind::end:
      return "the end of the template";
    case TokenKind::string:
      return "a string";
    default:
      return quote(token.text).text();
  }
}

}  // namespace

Token Reader::take() {
  Token token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Reader::skip(TokenKind kind, std::string_view text) {
  if (!at(kind, text)) return false;
  take();
  return true;
}

void Reader::expect_sign(std::string_view sign) {
  if (!skip_sign(sign)) refuse(fmt::format("'{}'", sign));
}

void Reader::expect(TokenKind kind) {
  if (token().kind != kind) refuse(described({.kind = kind, .text = "", .line = 0}));
  take();
}

std::string Reader::expect_name() {
  if (token().kind != TokenKind::name) refuse("a name");
  return take().text;
}

void Reader::refuse(std::string_view expected) const {
  fail(Fault::data, "line {}: got {}, expected {}", line(), described(token()), expected);
}

void Reader::not_supported(std::string_view construct) const {
  fail({Fault::data, Code::unsupported_field}, "line {}: {} is not supported in a chat template", line(),
       construct);
}

Reader::Level::Level(Reader& reader) : reader_(reader) {
  require(reader.depth_ < kMostDepth, "line {}: the template nests more than {} deep", reader.line(),
          int{kMostDepth});
  ++reader.depth_;
}

}  // namespace locus::chat
