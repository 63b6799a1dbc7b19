// Filters that choose or convert the items of a list, and the default of a missing value.
#include <map>

#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/filters.h"
#include "locus/text/chat_template/operators.h"

namespace locus::chat {
namespace {

using V = const Value&;
using A = const Arguments&;

// The first positional argument as a name, and the others.
std::pair<std::string, Arguments> named_call(std::string_view filter, A arguments) {
  Arguments rest = arguments;
  require(!rest.positional.empty() && rest.positional[0].as_text() != nullptr,
          "{}: expected a name in quotes as the first argument", filter);
  std::string name = rest.positional[0].as_text()->bytes();
  rest.positional.erase(rest.positional.begin());
  return {std::move(name), std::move(rest)};
}

// The items whose test is `wanted`; without the name of a test, those that are true.
Value chosen(Steps& steps, V value, A arguments, bool wanted, const Value* attribute) {
  const bool plain = arguments.positional.empty();
  const auto [test, rest] = plain ? std::pair<std::string, Arguments>() : named_call("select", arguments);
  if (!plain) require_test(test);
  std::vector<Value> kept;
  for (V item : items_of(steps, value)) {
    steps.take();
    const Value tried = attribute == nullptr ? item : at_path(steps, item, *attribute);
    if ((plain ? tried.truth() : tested(steps, test, tried, rest)) == wanted) kept.push_back(item);
  }
  return Value::list(std::move(kept), ListKind::generator);
}

Value chosen_by_attribute(Steps& steps, V value, A arguments, bool wanted) {
  require(!arguments.positional.empty(), "selectattr: expected the name of a member as the first argument");
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin());
  return chosen(steps, value, rest, wanted, arguments.positional.data());
}

Value mapped(Steps& steps, V value, A arguments) {
  const bool by_attribute = arguments.positional.empty() && !arguments.named.empty();
  std::vector<Value> results;
  if (by_attribute) {
    const Parameters p("map", arguments, {"attribute", "default"});
    for (V item : items_of(steps, value)) {
      steps.take();
      Value result = at_path(steps, item, p.required(0));
      if (result.is_undefined() && p.get(1) != nullptr) result = *p.get(1);
      results.push_back(std::move(result));
    }
  } else {
    const auto [filter, rest] = named_call("map", arguments);
    require_filter(filter);
    for (V item : items_of(steps, value)) {
      steps.take();
      results.push_back(filtered(steps, filter, item, rest));
    }
  }
  return Value::list(std::move(results), ListKind::generator);
}

Value with_default(Steps&, V value, A arguments) {
  const Parameters p("default", arguments, {"default_value", "boolean"});
  const bool missing = value.is_undefined() || (p.flag(1, false) && !value.truth());
  if (!missing) return value;
  return p.get(0) == nullptr ? Value("") : *p.get(0);
}

}  // namespace

Filter choosing_filter(std::string_view name) {
  static const std::map<std::string, Filter, std::less<>> filters = {
      {"select", [](Steps& s, V v, A a) { return chosen(s, v, a, true, nullptr); }},
      {"reject", [](Steps& s, V v, A a) { return chosen(s, v, a, false, nullptr); }},
      {"selectattr", [](Steps& s, V v, A a) { return chosen_by_attribute(s, v, a, true); }},
      {"rejectattr", [](Steps& s, V v, A a) { return chosen_by_attribute(s, v, a, false); }},
      {"map", mapped},
      {"default", with_default},
      {"d", with_default},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : found->second;
}

}  // namespace locus::chat
