#include "locus/text/chat_template/parser.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::chat {
namespace {

using StatementKind = Statement::Kind;
using Names = std::initializer_list<std::string_view>;

class StatementParser {
 public:
  explicit StatementParser(Reader& reader) : reader_(reader) {}

  // Statements up to a block with one of these names, or up to the end of the template.
  std::vector<Statement> until(Names ends) {
    const Reader::Level level(reader_);
    std::vector<Statement> statements;
    for (;;) {
      const int line = reader_.line();
      switch (reader_.token().kind) {
        case TokenKind::text:
          statements.push_back({.kind = StatementKind::text, .line = line, .text = reader_.take().text});
          break;
        case TokenKind::output_begin: {
          reader_.take();
          statements.push_back({.kind = StatementKind::output, .line = line});
          statements.back().expressions.push_back(parse_tuple(reader_));
          reader_.expect(TokenKind::output_end);
          break;
        }
        case TokenKind::block_begin: {
          const Token& name = reader_.token(1);
          if (name.kind == TokenKind::name && std::ranges::find(ends, name.text) != ends.end())
            return statements;
          reader_.take();
          statements.push_back(block(reader_.expect_name(), line));
          break;
        }
        default:
          if (ends.size() > 0) reader_.refuse(fmt::format("{{% {} %}}", *(ends.end() - 1)));
          return statements;
      }
    }
  }

 private:
  // The name of the block that ended until(), up to after its name.
  std::string end_name() {
    reader_.expect(TokenKind::block_begin);
    return reader_.expect_name();
  }
  std::vector<Statement> body(std::string_view end) {
    reader_.expect(TokenKind::block_end);
    std::vector<Statement> statements = until({end});
    end_name();
    reader_.expect(TokenKind::block_end);
    return statements;
  }

  Statement block(const std::string& name, int line) {
    if (name == "if") return condition(line);
    if (name == "for") return loop(line);
    if (name == "set") return set(line);
    if (name == "macro") return macro(line);
    if (name == "filter") return filter(line);
    if (name == "break" || name == "continue") {
      if (loops_ == 0) fail(Fault::data, "line {}: {} is outside of a loop", line, name);
      reader_.expect(TokenKind::block_end);
      return {.kind = name == "break" ? StatementKind::leave : StatementKind::next, .line = line};
    }
    if (name == "generation") {  // marks what the model wrote, for training; its text is as without it
      Statement scope{.kind = StatementKind::scope, .line = line};
      const int loops = std::exchange(loops_, 0);
      scope.body = body("endgeneration");
      loops_ = loops;
      return scope;
    }
    constexpr std::string_view kOthers[] = {"autoescape", "block",   "call",  "do",   "extends", "from",
                                            "import",     "include", "trans", "with", "debug"};
    if (std::ranges::find(kOthers, name) != std::end(kOthers)) {
      fail({Fault::data, Code::unsupported_field}, "line {}: {{% {} %}} is not supported in a chat template",
           line, name);
    }
    fail(
        {Fault::data, Code::unsupported_field},
        "line {}: unknown block {}, expected if, for, set, macro, filter, break, continue, generation or raw",
        line, quote(name));
  }

  // A condition, after its name: {% if %} or {% elif %}.
  Statement condition(int line) {
    Statement result{.kind = StatementKind::condition, .line = line};
    Statement* last = &result;
    for (int count = 0;; ++count) {
      require(count < kMostBranches, "line {}: a condition has more than {} branches", line,
              int{kMostBranches});
      last->expressions.push_back(parse_tuple(reader_, false));
      if (reader_.at_name("if")) reader_.refuse("%}");
      reader_.expect(TokenKind::block_end);
      last->body = until({"elif", "else", "endif"});
      const int end_line = reader_.line();
      const std::string end = end_name();
      if (end == "elif") {
        last->other.push_back({.kind = StatementKind::condition, .line = end_line});
        last = &last->other.back();
        continue;
      }
      if (end == "else") {
        last->other = body("endif");
      } else {
        reader_.expect(TokenKind::block_end);
      }
      return result;
    }
  }

  void targets(Statement& statement) {
    const bool brackets = reader_.skip_sign("(");
    statement.names.push_back(reader_.expect_name());
    while (reader_.skip_sign(",")) {
      statement.unpacks = true;
      if (reader_.token().kind != TokenKind::name || reader_.at_name("in")) break;
      statement.names.push_back(reader_.expect_name());
    }
    if (brackets) reader_.expect_sign(")");
  }

  Statement loop(int line) {
    Statement result{.kind = StatementKind::loop, .line = line};
    targets(result);
    if (!reader_.skip_name("in")) reader_.refuse("'in'");
    result.expressions.push_back(parse_tuple(reader_, false));
    if (reader_.skip_name("if")) result.expressions.push_back(parse_expression(reader_));
    result.recursive = reader_.skip_name("recursive");
    reader_.expect(TokenKind::block_end);
    ++loops_;
    result.body = until({"else", "endfor"});
    --loops_;
    if (end_name() == "else") {
      result.other = body("endfor");
    } else {
      reader_.expect(TokenKind::block_end);
    }
    return result;
  }

  Statement set(int line) {
    Statement result{.kind = StatementKind::set, .line = line};
    if (reader_.token(1).is(TokenKind::sign, ".")) {
      result.names.push_back(reader_.expect_name());
      reader_.take();
      result.member = reader_.expect_name();
    } else {
      targets(result);
    }
    if (reader_.skip_sign("=")) {
      result.expressions.push_back(parse_tuple(reader_));
      reader_.expect(TokenKind::block_end);
      return result;
    }
    result.kind = StatementKind::set_block;
    Expression output{.kind = Expression::Kind::variable, .line = line};
    result.expressions.push_back(reader_.skip_sign("|") ? parse_filters(reader_, std::move(output))
                                                        : std::move(output));
    result.body = body("endset");
    return result;
  }

  Statement macro(int line) {
    Statement result{.kind = StatementKind::macro, .line = line};
    result.text = reader_.expect_name();
    reader_.expect_sign("(");
    while (!reader_.at_sign(")")) {
      result.names.push_back(reader_.expect_name());
      if (reader_.skip_sign("=")) {
        result.expressions.push_back(parse_expression(reader_));
      } else if (!result.expressions.empty()) {
        reader_.refuse("'=': a parameter without a preset follows one with a preset");
      }
      if (!reader_.skip_sign(",")) break;
    }
    reader_.expect_sign(")");
    const int loops = std::exchange(loops_, 0);
    result.body = body("endmacro");
    loops_ = loops;
    return result;
  }

  Statement filter(int line) {
    Statement result{.kind = StatementKind::filter, .line = line};
    result.expressions.push_back(parse_filters(reader_, {.kind = Expression::Kind::variable, .line = line}));
    const int loops = std::exchange(loops_, 0);
    result.body = body("endfilter");
    loops_ = loops;
    return result;
  }

  static constexpr int kMostBranches = 64;

  Reader& reader_;
  int loops_ = 0;  // around the statement, inside of the macro
};

}  // namespace

std::vector<Statement> parse_template(std::string_view source) {
  Reader reader(tokens_of(source));
  std::vector<Statement> statements = StatementParser(reader).until({});
  if (reader.token().kind != TokenKind::end) reader.refuse("text or a tag");
  return statements;
}

}  // namespace locus::chat
