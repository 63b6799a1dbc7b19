// The tests of a chat template: value is name(arguments).
#include <cmath>
#include <map>

#include "locus/base/quote.h"
#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/filters.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/print.h"
#include "locus/text/chat_template/rewrite.h"

namespace locus::chat {
namespace {

using V = const Value&;
using A = const Arguments&;
using Test = bool (*)(Steps&, V, A);

bool is_number(V value) { return number_of(value).has_value(); }
bool is_mapping(V value) { return value.as_map() != nullptr; }
// What has a length and items: an undefined value has both.
bool is_sequence(V value) {
  const List* list = value.as_list();
  return value.as_text() != nullptr || is_mapping(value) || value.is_undefined() ||
         (list != nullptr && list->kind != ListKind::generator);
}
bool is_iterable(V value) {
  return is_sequence(value) || value.as_list() != nullptr || value.as_loop() != nullptr;
}

bool is_flag(V value, bool wanted) { return value.as_flag() != nullptr && *value.as_flag() == wanted; }

int64_t rest_of(V value, int64_t by) {
  const auto number = integer_of(value);
  require(number.has_value(), "a test for divisibility got a {}, expected an integer", value.type());
  require(by != 0, "the template divides by zero");
  return by == -1 ? 0 : *number % by;
}

bool is_same(V a, V b) {
  return a.type() == b.type() && (a.as_list() == b.as_list() && a.as_map() == b.as_map()) && equal(a, b);
}

template <int kSign>  // compares with the sign kSigns[kSign]
bool compared(Steps& steps, V value, A arguments) {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
  return compare(steps, kSigns[kSign], value, Parameters("a comparison", arguments, {"other"}).required(0));
}

bool has_letters(Steps& steps, V value, Letters letters) {
  const MarkedText text = printed(steps, value);
  const bool cased = with_letters(text, Letters::upper).bytes() != with_letters(text, Letters::lower).bytes();
  return cased && with_letters(text, letters).bytes() == text.bytes();
}

const std::map<std::string, Test, std::less<>>& tests() {
  static const std::map<std::string, Test, std::less<>> all = {
      {"defined", [](Steps&, V v, A) { return !v.is_undefined(); }},
      {"undefined", [](Steps&, V v, A) { return v.is_undefined(); }},
      {"none", [](Steps&, V v, A) { return v.is_none(); }},
      {"string", [](Steps&, V v, A) { return v.as_text() != nullptr; }},
      {"number", [](Steps&, V v, A) { return is_number(v); }},
      {"integer", [](Steps&, V v, A) { return v.as_integer() != nullptr; }},
      {"float", [](Steps&, V v, A) { return v.as_float() != nullptr; }},
      {"boolean", [](Steps&, V v, A) { return v.as_flag() != nullptr; }},
      {"true", [](Steps&, V v, A) { return is_flag(v, true); }},
      {"false", [](Steps&, V v, A) { return is_flag(v, false); }},
      {"mapping", [](Steps&, V v, A) { return is_mapping(v); }},
      {"sequence", [](Steps&, V v, A) { return is_sequence(v); }},
      {"iterable", [](Steps&, V v, A) { return is_iterable(v); }},
      {"callable", [](Steps&, V v, A) { return v.as_function() != nullptr; }},
      {"odd", [](Steps&, V v, A) { return rest_of(v, 2) != 0; }},
      {"even", [](Steps&, V v, A) { return rest_of(v, 2) == 0; }},
      {"divisibleby",
       [](Steps&, V v, A a) { return rest_of(v, Parameters("divisibleby", a, {"num"}).integer(0)) == 0; }},
      {"upper", [](Steps& s, V v, A) { return has_letters(s, v, Letters::upper); }},
      {"lower", [](Steps& s, V v, A) { return has_letters(s, v, Letters::lower); }},
      {"sameas", [](Steps&, V v, A a) { return is_same(v, Parameters("sameas", a, {"other"}).required(0)); }},
      {"in", compared<6>},
      {"eq", compared<0>},
      {"equalto", compared<0>},
      {"ne", compared<1>},
      {"lt", compared<2>},
      {"lessthan", compared<2>},
      {"le", compared<3>},
      {"gt", compared<4>},
      {"greaterthan", compared<4>},
      {"ge", compared<5>},
      {"==", compared<0>},
      {"!=", compared<1>},
      {"<", compared<2>},
      {"<=", compared<3>},
      {">", compared<4>},
      {">=", compared<5>},
  };
  return all;
}

}  // namespace

void require_test(const std::string& name) {
  if (tests().contains(name)) return;
  fail({Fault::data, Code::unsupported_field}, "the test {} is not supported in a chat template",
       quote(name));
}

bool tested(Steps& steps, const std::string& name, const Value& value, const Arguments& arguments) {
  require_test(name);
  steps.take(value.weight());
  return tests().at(name)(steps, value, arguments);
}

}  // namespace locus::chat
