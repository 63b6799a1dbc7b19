#include "locus/text/chat_template/interpreter.h"

#include "locus/base/quote.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/print.h"

namespace locus::chat {
namespace {

constexpr int kMostRecursion = 64;  // of a recursive loop

}  // namespace

const Value* Frame::find(const std::string& name) const {
  for (const Frame* frame = this; frame != nullptr; frame = frame->outer_) {
    if (const auto found = frame->variables_.find(name); found != frame->variables_.end())
      return &found->second;
  }
  return nullptr;
}

MarkedText Interpreter::run(const std::vector<Statement>& statements, Frame& frame) {
  MarkedText out;
  try {
    block(statements, frame, out);
  } catch (const Error& error) {
    throw error.at(fmt::format("line {}", line_));
  }
  return out;
}

void Interpreter::write(const MarkedText& text, MarkedText& out) {
  steps_.bytes(text.size());
  out.append(text);
  require(out.size() <= Steps::kMostBytes, "the template writes more than {} bytes",
          size_t{Steps::kMostBytes});
}

Interpreter::Flow Interpreter::block(const std::vector<Statement>& statements, Frame& frame,
                                     MarkedText& out) {
  require(depth_ < kMostLevels, "the template nests more than {} deep", int{kMostLevels});
  ++depth_;  // an error ends the template, so that its depth no longer matters
  Flow flow = Flow::next;
  for (size_t i = 0; i < statements.size() && flow == Flow::next; ++i) {
    line_ = statements[i].line;
    steps_.take();
    flow = statement(statements[i], frame, out);
  }
  --depth_;
  return flow;
}

Interpreter::Flow Interpreter::statement(const Statement& s, Frame& frame, MarkedText& out) {
  switch (s.kind) {
    case Statement::Kind::text:
      write(MarkedText(s.text), out);
      break;
    case Statement::Kind::output:
      write(printed(steps_, evaluate(s.expressions[0], frame)), out);
      break;
    case Statement::Kind::set:
      set(s, evaluate(s.expressions[0], frame), frame);
      break;
    case Statement::Kind::set_block:
      set(s, captured(s, frame), frame);
      break;
    case Statement::Kind::filter:
      write(printed(steps_, captured(s, frame)), out);
      break;
    case Statement::Kind::condition:
      return condition(s, frame, out);
    case Statement::Kind::loop:
      loop(s, evaluate(s.expressions[0], frame), 1, frame, out);
      break;
    case Statement::Kind::macro:
      define(s, frame);
      break;
    case Statement::Kind::scope: {
      Frame inner(&frame);
      block(s.body, inner, out);
      break;
    }
    case Statement::Kind::leave:
      return Flow::leave;
    case Statement::Kind::next:
      return Flow::again;
  }
  return Flow::next;
}

// A chain of elif is walked, not descended.
Interpreter::Flow Interpreter::condition(const Statement& statement, Frame& frame, MarkedText& out) {
  const Statement* branch = &statement;
  while (!evaluate(branch->expressions[0], frame).truth()) {
    const bool chains = branch->other.size() == 1 && branch->other[0].kind == Statement::Kind::condition;
    if (!chains) return block(branch->other, frame, out);
    branch = &branch->other[0];
    line_ = branch->line;
    steps_.take();
  }
  return block(branch->body, frame, out);
}

std::vector<Value> Interpreter::loop_items(const Statement& s, const Value& value, Frame& frame) {
  std::vector<Value> items = items_of(steps_, value);
  if (s.expressions.size() == 1) return items;
  std::vector<Value> kept;
  for (Value& item : items) {
    steps_.take();
    Frame inner(&frame);
    assign(s, item, inner);
    if (evaluate(s.expressions[1], inner).truth()) kept.push_back(std::move(item));
  }
  return kept;
}

void Interpreter::loop(const Statement& s, const Value& value, int depth, Frame& frame, MarkedText& out) {
  const auto loop = std::make_shared<Loop>();
  loop->items = loop_items(s, value, frame);
  loop->depth = depth;
  if (s.recursive) {
    loop->call = [this, &s, depth, &frame](Steps&, const Arguments& arguments) {
      require(arguments.positional.size() == 1 && arguments.named.empty(),
              "loop: got {} arguments, expected 1", arguments.positional.size() + arguments.named.size());
      require(depth < kMostRecursion, "a recursive loop is more than {} deep", int{kMostRecursion});
      MarkedText inner;
      this->loop(s, arguments.positional[0], depth + 1, frame, inner);
      return Value(std::move(inner));
    };
  }
  for (; loop->index < loop->items.size(); ++loop->index) {
    steps_.take();
    Frame inner(&frame);
    assign(s, loop->items[loop->index], inner);
    inner.set("loop", Value::loop(loop));
    if (block(s.body, inner, out) == Flow::leave) break;
  }
  if (loop->items.empty()) {
    Frame inner(&frame);
    block(s.other, inner, out);
  }
}

void Interpreter::set(const Statement& s, Value value, Frame& frame) {
  if (s.member.empty()) return assign(s, value, frame);
  const Value* target = frame.find(s.names[0]);
  require(target != nullptr && target->as_names() != nullptr, "{}.{} is set, but {} is not a namespace",
          s.names[0], s.member, s.names[0]);
  steps_.items(target->as_names()->members.size());
  target->as_names()->set(s.member, std::move(value));
}

void Interpreter::assign(const Statement& s, const Value& value, Frame& frame) {
  if (!s.unpacks) return frame.set(s.names[0], value);
  require_defined(value);
  const std::vector<Value> items = items_of(steps_, value);
  require(items.size() == s.names.size(), "the template unpacks {} values into {} variables", items.size(),
          s.names.size());
  for (size_t i = 0; i < items.size(); ++i) frame.set(s.names[i], items[i]);
}

Value Interpreter::captured(const Statement& s, Frame& frame) {
  MarkedText out;
  Frame inner(&frame);
  block(s.body, inner, out);
  Frame output(&frame);
  output.set("", Value(std::move(out)));
  line_ = s.line;
  return evaluate(s.expressions[0], output);
}

void Interpreter::define(const Statement& macro, Frame& frame) {
  frame.set(macro.text,
            Value::function(macro.text, [this, &macro, &frame](Steps&, const Arguments& arguments) {
              return call_macro(macro, arguments, frame);
            }));
}

Value Interpreter::call_macro(const Statement& macro, const Arguments& arguments, Frame& frame) {
  const std::vector<std::string>& names = macro.names;
  require(arguments.positional.size() <= names.size(), "macro {}: got {} arguments, expected at most {}",
          macro.text, arguments.positional.size(), names.size());
  Frame inner(&frame);
  std::map<std::string, const Value*> given;
  for (size_t i = 0; i < arguments.positional.size(); ++i) given[names[i]] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    require(std::ranges::find(names, name) != names.end(), "macro {}: unknown argument {}", macro.text,
            quote(name));
    require(given.emplace(name, &value).second, "macro {}: got the argument {} twice", macro.text, name);
  }
  const size_t first_preset = names.size() - macro.expressions.size();
  for (size_t i = 0; i < names.size(); ++i) {
    steps_.take();
    if (const auto found = given.find(names[i]); found != given.end()) {
      inner.set(names[i], *found->second);
    } else if (i >= first_preset) {
      inner.set(names[i], evaluate(macro.expressions[i - first_preset], inner));
    } else {
      inner.set(names[i], Value::undefined(fmt::format("the argument {}", quote(names[i]))));
    }
  }
  MarkedText out;
  block(macro.body, inner, out);
  return Value(std::move(out));
}

}  // namespace locus::chat
