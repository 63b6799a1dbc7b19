// The expressions of Jinja, from the loosest operator to the tightest: choice, or, and, not, comparisons, +
// and -,
// ~, * and /, **. What is tighter is in primary_parser.cc.
#include <algorithm>

#include "locus/base/error.h"
#include "locus/text/chat_template/parser.h"

namespace locus::chat {
namespace {

using ExpressionKind = Expression::Kind;
using Parse = Expression (*)(Reader&);

Expression with_parts(ExpressionKind kind, int line, std::vector<Expression> parts) {
  Expression result{.kind = kind, .line = line};
  result.parts = std::move(parts);
  return result;
}

// Operands with operators of one level between them. The parts are one list, so that a long sum is not deep.
Expression chain(Reader& reader, ExpressionKind kind, std::initializer_list<std::string_view> signs,
                 Parse operand) {
  Expression first = operand(reader);
  if (reader.token().kind != TokenKind::sign ||
      std::ranges::find(signs, reader.token().text) == signs.end()) {
    return first;
  }
  Expression result = around(kind, reader.line(), std::move(first));
  while (reader.token().kind == TokenKind::sign &&
         std::ranges::find(signs, reader.token().text) != signs.end()) {
    result.words.push_back(reader.take().text);
    result.parts.push_back(operand(reader));
  }
  return result;
}

Expression parse_power(Reader& reader) {
  return chain(reader, ExpressionKind::arithmetic, {"**"}, [](Reader& r) { return parse_unary(r, true); });
}
Expression parse_product(Reader& reader) {
  return chain(reader, ExpressionKind::arithmetic, {"*", "/", "//", "%"}, parse_power);
}
Expression parse_join(Reader& reader) {
  return chain(reader, ExpressionKind::arithmetic, {"~"}, parse_product);
}
Expression parse_sum(Reader& reader) {
  return chain(reader, ExpressionKind::arithmetic, {"+", "-"}, parse_join);
}

std::string comparison(Reader& reader) {
  for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (reader.skip_sign(sign)) return std::string(sign);
  }
  if (reader.skip_name("in")) return "in";
  if (!reader.at_name("not") || !reader.token(1).is(TokenKind::name, "in")) return "";
  reader.take();
  reader.take();
  return "not in";
}

Expression parse_comparison(Reader& reader) {
  const int line = reader.line();
  Expression first = parse_sum(reader);
  std::string sign = comparison(reader);
  if (sign.empty()) return first;
  Expression result = around(ExpressionKind::compare, line, std::move(first));
  for (; !sign.empty(); sign = comparison(reader)) {
    result.words.push_back(sign);
    result.parts.push_back(parse_sum(reader));
  }
  return result;
}

Expression parse_not(Reader& reader) {
  const int line = reader.line();
  if (!reader.skip_name("not")) return parse_comparison(reader);
  const Reader::Level level(reader);
  return around(ExpressionKind::negation, line, parse_not(reader));
}

Expression logic(Reader& reader, ExpressionKind kind, std::string_view word, Parse operand) {
  Expression first = operand(reader);
  if (!reader.at_name(word)) return first;
  Expression result = around(kind, reader.line(), std::move(first));
  while (reader.skip_name(word)) result.parts.push_back(operand(reader));
  return result;
}
Expression parse_and(Reader& reader) { return logic(reader, ExpressionKind::all, "and", parse_not); }
Expression parse_or(Reader& reader) { return logic(reader, ExpressionKind::any, "or", parse_and); }

}  // namespace

Expression parse_expression(Reader& reader, bool with_choice) {
  const Reader::Level level(reader);
  Expression value = parse_or(reader);
  for (int count = 0; with_choice && reader.at_name("if"); ++count) {
    const int line = reader.line();
    require(count < kMostDepth, "line {}: an expression has more than {} conditions", line, int{kMostDepth});
    reader.take();
    std::vector<Expression> parts;
    parts.push_back(parse_or(reader));
    parts.push_back(std::move(value));
    if (reader.skip_name("else")) parts.push_back(parse_expression(reader));
    value = with_parts(ExpressionKind::choice, line, std::move(parts));
  }
  return value;
}

Expression parse_tuple(Reader& reader, bool with_choice) {
  const int line = reader.line();
  Expression first = parse_expression(reader, with_choice);
  if (!reader.at_sign(",")) return first;
  Expression tuple = around(ExpressionKind::tuple, line, std::move(first));
  while (reader.skip_sign(",")) {
    const TokenKind kind = reader.token().kind;
    if (kind == TokenKind::block_end || kind == TokenKind::output_end || reader.at_sign(")")) break;
    tuple.parts.push_back(parse_expression(reader, with_choice));
  }
  return tuple;
}

}  // namespace locus::chat
