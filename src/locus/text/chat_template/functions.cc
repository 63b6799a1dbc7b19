#include "locus/text/chat_template/functions.h"

#include <ctime>

#include "locus/base/quote.h"
#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/print.h"

namespace locus::chat {
namespace {

constexpr int64_t kMostRange = 100'000;  // as in the sandbox of jinja2

Value range(Steps& steps, const Arguments& arguments) {
  const Parameters p("range", arguments, {"start", "stop", "step"});
  const bool only_end = p.get(1) == nullptr;
  const int64_t begin = only_end ? 0 : p.integer(0), end = p.integer(only_end ? 0 : 1),
                step = p.integer(2, 1);
  require(step != 0, "range: the step is 0, expected another number");
  std::vector<Value> items;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    require(items.size() < kMostRange, "range: got more than {} numbers", kMostRange);
    items.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  steps.take(1 + items.size());
  return Value::list(std::move(items));
}

// The members of the maps and the named arguments of namespace() and dict().
std::vector<std::pair<Value, Value>> members_of(Steps& steps, const char* function,
                                                const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> members;
  require(arguments.positional.size() <= 1, "{}: got {} arguments without names, expected at most 1",
          function, arguments.positional.size());
  for (const Value& value : arguments.positional) {
    require(value.as_map() != nullptr, "{}: got a {}, expected a dict", function, value.type());
    members = value.as_map()->items;
  }
  for (const auto& [name, value] : arguments.named) members.emplace_back(Value(name), value);
  steps.take(1 + members.size());
  return members;
}

Value make_namespace(Steps& steps, const Arguments& arguments) {
  std::vector<std::pair<std::string, Value>> members;
  for (auto& [name, value] : members_of(steps, "namespace", arguments)) {
    require(name.as_text() != nullptr, "namespace: a name is a {}, expected a text", name.type());
    members.emplace_back(name.as_text()->bytes(), std::move(value));
  }
  return Value::names(std::move(members));
}

Value make_map(Steps& steps, const Arguments& arguments) {
  return Value::map(members_of(steps, "dict", arguments));
}

Value raise_exception(Steps& steps, const Arguments& arguments) {
  const Parameters p("raise_exception", arguments, {"message"});
  fail(Fault::data, "the template refuses these messages: {}", quote(printed(steps, p.required(0)).bytes()));
}

Value now(Steps& steps, const Arguments& arguments) {
  const std::string format = Parameters("strftime_now", arguments, {"format"}).text(0);
  steps.bytes(format.size());
  require(format.size() <= 256, "strftime_now: the format has {} bytes, expected at most 256", format.size());
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::string text(4096, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &local));
  return Value(text);
}

}  // namespace

std::vector<std::pair<std::string, Value>> global_functions() {
  std::vector<std::pair<std::string, Value>> functions;
  const auto add = [&](const char* name, Value (*call)(Steps&, const Arguments&)) {
    functions.emplace_back(name, Value::function(name, call));
  };
  add("range", range);
  add("namespace", make_namespace);
  add("dict", make_map);
  add("raise_exception", raise_exception);
  add("strftime_now", now);
  return functions;
}

}  // namespace locus::chat
