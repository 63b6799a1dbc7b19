// The tightest expressions of Jinja: literals, names, members, items, calls, signs, filters and tests.
#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/text/chat_template/parser.h"

namespace locus::chat {
namespace {

using ExpressionKind = Expression::Kind;

// Appends the arguments of a call, a filter or a test.
void parse_arguments(Reader& reader, Expression& call) {
  reader.expect_sign("(");
  while (!reader.at_sign(")")) {
    if (reader.at_sign("*") || reader.at_sign("**")) reader.not_supported("unpacking of arguments with *");
    const bool named = reader.token().kind == TokenKind::name && reader.token(1).is(TokenKind::sign, "=");
    if (named) {
      call.words.push_back(reader.take().text);
      reader.take();
    } else if (!call.words.empty()) {
      reader.refuse("a named argument");
    }
    call.parts.push_back(parse_expression(reader));
    if (!reader.skip_sign(",")) break;
  }
  reader.expect_sign(")");
}

Expression parse_number(Reader& reader) {
  const Token token = reader.take();
  Expression result{.kind = ExpressionKind::literal, .line = token.line};
  if (token.kind == TokenKind::real) {
    const auto number = locus::parse<double>(token.text);
    require(number.has_value(), "line {}: the number {} is too large", token.line, token.text);
    result.value = Value(*number);
    return result;
  }
  const auto number = locus::parse<int64_t>(token.text);
  require(number.has_value(), "line {}: the number {} is too large", token.line, token.text);
  result.value = Value(*number);
  return result;
}

Expression parse_list(Reader& reader) {
  Expression list{.kind = ExpressionKind::list, .line = reader.line()};
  reader.expect_sign("[");
  while (!reader.at_sign("]")) {
    list.parts.push_back(parse_expression(reader));
    if (!reader.skip_sign(",")) break;
  }
  reader.expect_sign("]");
  return list;
}

Expression parse_map(Reader& reader) {
  Expression map{.kind = ExpressionKind::map, .line = reader.line()};
  reader.expect_sign("{");
  while (!reader.at_sign("}")) {
    map.parts.push_back(parse_expression(reader));
    reader.expect_sign(":");
    map.parts.push_back(parse_expression(reader));
    if (!reader.skip_sign(",")) break;
  }
  reader.expect_sign("}");
  return map;
}

Expression parse_name(Reader& reader) {
  const Token token = reader.take();
  Expression result{.kind = ExpressionKind::literal, .line = token.line};
  if (token.text == "true" || token.text == "True") {
    result.value = Value(true);
  } else if (token.text == "false" || token.text == "False") {
    result.value = Value(false);
  } else if (token.text != "none" && token.text != "None") {
    result.kind = ExpressionKind::variable;
    result.name = token.text;
  }
  return result;
}

Expression parse_primary(Reader& reader) {
  const int line = reader.line();
  switch (reader.token().kind) {
    case TokenKind::name:
      return parse_name(reader);
    case TokenKind::integer:
    case TokenKind::real:
      return parse_number(reader);
    case TokenKind::string: {
      std::string text;
      while (reader.token().kind == TokenKind::string) text += reader.take().text;
      return {.kind = ExpressionKind::literal, .line = line, .value = Value(text)};
    }
    default:
      break;
  }
  if (reader.at_sign("[")) return parse_list(reader);
  if (reader.at_sign("{")) return parse_map(reader);
  if (!reader.skip_sign("(")) reader.refuse("an expression");
  if (reader.skip_sign(")")) return {.kind = ExpressionKind::tuple, .line = line};
  Expression inner = parse_tuple(reader);
  reader.expect_sign(")");
  return inner;
}

// What is between [ and ]: an index, or a slice.
Expression parse_item(Reader& reader, Expression of) {
  const int line = reader.line();
  reader.expect_sign("[");
  std::vector<Expression> places;  // begin, end and step of a slice
  bool slice = false;
  for (;;) {
    const bool omitted = reader.at_sign(":") || reader.at_sign("]");
    if (omitted && !slice && reader.at_sign("]")) reader.refuse("an index");
    places.push_back(omitted ? Expression{.kind = ExpressionKind::literal, .line = line}
                             : parse_expression(reader));
    if (reader.at_sign(",")) reader.not_supported("an index with a comma");
    if (places.size() == 3 || !reader.skip_sign(":")) break;
    slice = true;
  }
  reader.expect_sign("]");
  if (slice) places.resize(3, {.kind = ExpressionKind::literal, .line = line});
  Expression result = around(slice ? ExpressionKind::slice : ExpressionKind::item, line, std::move(of));
  for (Expression& place : places) result.parts.push_back(std::move(place));
  return result;
}

Expression parse_postfix(Reader& reader, Expression value) {
  for (int count = 0;; ++count) {
    const int line = reader.line();
    require(count < kMostDepth, "line {}: an expression has more than {} members and calls", line,
            int{kMostDepth});
    if (reader.skip_sign(".")) {
      value = around(ExpressionKind::member, line, std::move(value));
      if (reader.token().kind != TokenKind::integer) {
        value.name = reader.expect_name();
        continue;
      }
      value.kind = ExpressionKind::item;  // x.0
      value.parts.push_back(parse_number(reader));
    } else if (reader.at_sign("[")) {
      value = parse_item(reader, std::move(value));
    } else if (reader.at_sign("(")) {
      value = around(ExpressionKind::call, line, std::move(value));
      parse_arguments(reader, value);
    } else {
      return value;
    }
  }
}

Expression parse_test(Reader& reader, Expression value) {
  const int line = reader.line();
  const bool negated = reader.skip_name("not");
  Expression test = around(ExpressionKind::test, line, std::move(value));
  test.name = reader.expect_name();
  const Token& next = reader.token();
  const bool literal =
      next.kind == TokenKind::string || next.kind == TokenKind::integer || next.kind == TokenKind::real;
  const bool word =
      next.kind == TokenKind::name && next.text != "else" && next.text != "or" && next.text != "and";
  if (reader.at_sign("(")) {
    parse_arguments(reader, test);
  } else if (word && next.text == "is") {
    reader.refuse("an operator: tests cannot follow each other");
  } else if ((word && next.text != "if" && next.text != "in" && next.text != "not") || literal ||
             reader.at_sign("[") || reader.at_sign("{")) {
    test.parts.push_back(parse_postfix(reader, parse_primary(reader)));
  }
  return negated ? around(ExpressionKind::negation, line, std::move(test)) : std::move(test);
}

Expression parse_filter(Reader& reader, Expression value) {
  Expression filter = around(ExpressionKind::filter, reader.line(), std::move(value));
  filter.name = reader.expect_name();
  if (reader.at_sign("(")) parse_arguments(reader, filter);
  return filter;
}

}  // namespace

Expression parse_unary(Reader& reader, bool with_filters) {
  const int line = reader.line();
  Expression value;
  if (reader.at_sign("-") || reader.at_sign("+")) {
    const Reader::Level level(reader);
    const std::string sign = reader.take().text;
    value = around(ExpressionKind::sign, line, parse_unary(reader, false));
    value.words.push_back(sign);
  } else {
    value = parse_primary(reader);
  }
  value = parse_postfix(reader, std::move(value));
  for (int count = 0; with_filters; ++count) {
    require(count < kMostDepth, "line {}: an expression has more than {} filters", line, int{kMostDepth});
    if (reader.skip_sign("|")) {
      value = parse_filter(reader, std::move(value));
    } else if (reader.skip_name("is")) {
      value = parse_test(reader, std::move(value));
    } else if (reader.at_sign("(")) {
      value = around(ExpressionKind::call, line, std::move(value));
      parse_arguments(reader, value);
    } else {
      break;
    }
  }
  return value;
}

Expression parse_filters(Reader& reader, Expression value) {
  const int line = reader.line();
  value = parse_filter(reader, std::move(value));
  for (int count = 0; reader.skip_sign("|"); ++count) {
    require(count < kMostDepth, "line {}: an expression has more than {} filters", line, int{kMostDepth});
    value = parse_filter(reader, std::move(value));
  }
  return value;
}

}  // namespace locus::chat
