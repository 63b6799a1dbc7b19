// Runs the statements of a chat template.
#pragma once

#include <map>
#include <string>

#include "locus/text/chat_template/loop.h"
#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/syntax.h"

namespace locus::chat {

// The variables of a block. Blocks inside of it see them.
class Frame {
 public:
  explicit Frame(const Frame* outer = nullptr) : outer_(outer) {}
  void set(const std::string& name, Value value) { variables_.insert_or_assign(name, std::move(value)); }
  const Value* find(const std::string& name) const;

 private:
  const Frame* outer_;
  std::map<std::string, Value> variables_;
};

class Interpreter {
 public:
  // Returns the text of the template. Errors begin with their line.
  MarkedText run(const std::vector<Statement>& statements, Frame& frame);

 private:
  // Of blocks and expressions inside of each other, with those of macros that call each other.
  static constexpr int kMostLevels = 600;
  enum class Flow { next, leave, again };  // `leave` and `again`: break and continue of the innermost loop

  Flow block(const std::vector<Statement>& statements, Frame& frame, MarkedText& out);
  Flow statement(const Statement& statement, Frame& frame, MarkedText& out);
  Flow condition(const Statement& statement, Frame& frame, MarkedText& out);
  void loop(const Statement& statement, const Value& items, int depth, Frame& frame, MarkedText& out);
  std::vector<Value> loop_items(const Statement& statement, const Value& items, Frame& frame);
  void set(const Statement& statement, Value value, Frame& frame);
  void assign(const Statement& statement, const Value& value, Frame& frame);
  void define(const Statement& macro, Frame& frame);
  Value call_macro(const Statement& macro, const Arguments& arguments, Frame& frame);
  Value captured(const Statement& statement, Frame& frame);  // the output of a block, through its filters
  void write(const MarkedText& text, MarkedText& out);

  Value evaluate(const Expression& expression, const Frame& frame);
  Value of(const Expression& expression, const Frame& frame);
  Value variable(const Expression& expression, const Frame& frame);
  Value call(const Expression& expression, const Frame& frame);
  Value chain(const Expression& expression, const Frame& frame);
  bool comparison(const Expression& expression, const Frame& frame);
  Arguments arguments(const Expression& call, const Frame& frame);

  Steps steps_;
  int depth_ = 0, calls_ = 0;
  int line_ = 1;
};

}  // namespace locus::chat
