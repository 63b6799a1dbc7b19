// Evaluates the expressions of a chat template.
#include "locus/base/quote.h"
#include "locus/text/chat_template/filters.h"
#include "locus/text/chat_template/interpreter.h"
#include "locus/text/chat_template/methods.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/sequence.h"

namespace locus::chat {
namespace {

constexpr int kMostCallDepth = 64;

}  // namespace

Value Interpreter::evaluate(const Expression& expression, const Frame& frame) {
  require(depth_ < kMostLevels, "the template nests more than {} deep", int{kMostLevels});
  steps_.take();
  line_ = expression.line;
  ++depth_;
  Value value = of(expression, frame);
  --depth_;  // an error ends the template, so that its depth no longer matters
  line_ = expression.line;
  return value;
}

Value Interpreter::of(const Expression& e, const Frame& frame) {
  using Kind = Expression::Kind;
  const auto part = [&](size_t i) { return evaluate(e.parts[i], frame); };
  switch (e.kind) {
    case Kind::literal:
      return e.value;
    case Kind::variable:
      return variable(e, frame);
    case Kind::list:
    case Kind::tuple: {
      std::vector<Value> items;
      for (size_t i = 0; i < e.parts.size(); ++i) items.push_back(part(i));
      return Value::list(std::move(items), e.kind == Kind::list ? ListKind::list : ListKind::tuple);
    }
    case Kind::map: {
      std::vector<std::pair<Value, Value>> items;
      for (size_t i = 0; i < e.parts.size(); i += 2) {
        Value key = part(i);
        items.emplace_back(std::move(key), part(i + 1));
      }
      return Value::map(std::move(items));
    }
    case Kind::member:
      return member_of(steps_, part(0), e.name);
    case Kind::item: {
      const Value value = part(0);
      return item_of(steps_, value, part(1));
    }
    case Kind::slice: {
      const Value value = part(0), begin = part(1), end = part(2);
      return slice_of(steps_, value, begin, end, part(3));
    }
    case Kind::call:
      return call(e, frame);
    case Kind::filter: {
      const Value value = part(0);
      return filtered(steps_, e.name, value, arguments(e, frame));
    }
    case Kind::test: {
      const Value value = part(0);
      return Value(tested(steps_, e.name, value, arguments(e, frame)));
    }
    case Kind::negation:
      return Value(!part(0).truth());
    case Kind::sign:
      return signed_value(e.words[0], part(0));
    case Kind::compare:
      return Value(comparison(e, frame));
    case Kind::choice:
      if (part(0).truth()) return part(1);
      return e.parts.size() == 3 ? part(2) : Value::undefined("the value of an if without else");
    case Kind::arithmetic:
    case Kind::all:
    case Kind::any:
      break;
  }
  return chain(e, frame);
}

Value Interpreter::variable(const Expression& e, const Frame& frame) {
  const Value* found = frame.find(e.name);
  return found != nullptr ? *found : Value::undefined(quote(e.name).text());
}

// The value of `and` and `or` is the operand that decides.
Value Interpreter::chain(const Expression& e, const Frame& frame) {
  Value value = evaluate(e.parts[0], frame);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    if (e.kind == Expression::Kind::arithmetic) {
      const Value next = evaluate(e.parts[i], frame);
      line_ = e.line;
      value = arithmetic(steps_, e.words[i - 1], value, next);
    } else if (value.truth() == (e.kind == Expression::Kind::any)) {
      break;
    } else {
      value = evaluate(e.parts[i], frame);
    }
  }
  return value;
}

bool Interpreter::comparison(const Expression& e, const Frame& frame) {
  Value left = evaluate(e.parts[0], frame);
  for (size_t i = 1; i < e.parts.size(); ++i) {
    Value right = evaluate(e.parts[i], frame);
    line_ = e.line;
    if (!compare(steps_, e.words[i - 1], left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Arguments Interpreter::arguments(const Expression& call, const Frame& frame) {
  Arguments result;
  const size_t positional = call.parts.size() - call.words.size();
  for (size_t i = 1; i < call.parts.size(); ++i) {
    Value value = evaluate(call.parts[i], frame);
    if (i < positional) {
      result.positional.push_back(std::move(value));
    } else {
      result.named.emplace_back(call.words[i - positional], std::move(value));
    }
  }
  line_ = call.line;
  return result;
}

Value Interpreter::call(const Expression& e, const Frame& frame) {
  const Value callee = evaluate(e.parts[0], frame);
  const Function* function = callee.as_function();
  const Loop* loop = callee.as_loop();
  const Arguments given = arguments(e, frame);
  if (function == nullptr && (loop == nullptr || !loop->call)) {
    if (const Undefined* missing = callee.as_undefined()) {
      fail({Fault::data, Code::unsupported_field},
           "the template calls {}, which is not a function that Locus has", missing->name);
    }
    fail(Fault::data, "the template calls a {}, expected a function", callee.type());
  }
  require(calls_ < kMostCallDepth, "macros call each other more than {} deep", int{kMostCallDepth});
  ++calls_;
  Value result = function != nullptr ? function->call(steps_, given) : loop->call(steps_, given);
  --calls_;
  return result;
}

}  // namespace locus::chat
