#include "locus/text/chat_template/methods.h"

#include <utf8proc.h>

#include <algorithm>
#include <map>

#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/loop.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/rewrite.h"
#include "locus/text/chat_template/sequence.h"
#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

using A = const Arguments&;

template <class T>
using Methods = std::map<std::string, Value (*)(Steps&, const T&, const Arguments&), std::less<>>;

bool fits(const MarkedText& text, const Value& part, bool at_end) {
  const auto one = [&](const Value& each) {
    require(each.as_text() != nullptr, "startswith: got a {}, expected a text", each.type());
    const std::string& bytes = each.as_text()->bytes();
    return at_end ? text.bytes().ends_with(bytes) : text.bytes().starts_with(bytes);
  };
  return part.as_list() != nullptr ? std::ranges::any_of(part.as_list()->items, one) : one(part);
}

// Where a part begins, in characters; -1 if it does not occur.
int64_t place_in(Steps& steps, const MarkedText& text, const std::string& part, bool last) {
  steps.bytes(text.size());
  const size_t found = last ? text.bytes().rfind(part) : text.bytes().find(part);
  return found == std::string::npos ? -1
                                    : static_cast<int64_t>(length_of(steps, Value(text.slice(0, found))));
}

template <class F>
bool all_characters(const MarkedText& text, F&& fits) {
  const std::string& all = text.bytes();
  for (size_t i = 0; i < all.size(); i += character_at(all, i).length) {
    if (!fits(character_at(all, i))) return false;
  }
  return !all.empty();
}

bool has_case(const MarkedText& text, bool upper) {
  bool any = false;
  const bool none_other = text.size() > 0 && all_characters(text, [&](Character c) {
                            if (c.code == Character::kNoCode) return true;
                            any = any || (upper ? utf8proc_isupper(c.code) : utf8proc_islower(c.code)) != 0;
                            return (upper ? utf8proc_islower(c.code) : utf8proc_isupper(c.code)) == 0;
                          });
  return none_other && any;
}

Value text_split(Steps& steps, const MarkedText& text, const Arguments& arguments, bool from_right) {
  const Parameters p("split", arguments, {"sep", "maxsplit"});
  return Value::list(split(steps, text, p.optional_text(0), p.integer(1, -1), from_right));
}

Value text_strip(const MarkedText& text, const Arguments& arguments, Side side) {
  return Value(stripped(text, side, Parameters("strip", arguments, {"chars"}).optional_text(0)));
}

Value text_find(Steps& steps, const MarkedText& text, const Arguments& arguments, bool last) {
  return Value(place_in(steps, text, Parameters("find", arguments, {"sub"}).text(0), last));
}

Value without_affix(const MarkedText& text, const Arguments& arguments, bool at_end) {
  const Value part = Parameters("removeprefix", arguments, {"prefix"}).required(0);
  if (!fits(text, part, at_end)) return Value(text);
  const size_t size = part.as_text() == nullptr ? 0 : part.as_text()->size();
  return Value(at_end ? text.slice(0, text.size() - size) : text.slice(size, text.size()));
}

// The text before the first separator, the separator, and the text after it.
Value text_partition(Steps& steps, const MarkedText& text, const Arguments& arguments, bool last) {
  const std::string& separator = Parameters("partition", arguments, {"sep"}).text(0);
  require(!separator.empty(), "partition: the separator is empty");
  steps.bytes(text.size());
  const size_t found = last ? text.bytes().rfind(separator) : text.bytes().find(separator);
  const Value all(text), nothing("");
  if (found == std::string::npos) {
    return Value::list(last ? std::vector{nothing, nothing, all} : std::vector{all, nothing, nothing},
                       ListKind::tuple);
  }
  const size_t end = found + separator.size();
  return Value::list(
      {Value(text.slice(0, found)), Value(text.slice(found, end)), Value(text.slice(end, text.size()))},
      ListKind::tuple);
}

template <class F>
Value text_is(const Arguments& arguments, const MarkedText& text, F&& fits) {
  const Parameters none("isdigit", arguments, {});
  return Value(all_characters(text, fits));
}

Value count_in(Steps& steps, const MarkedText& text, A arguments) {
  const std::string& part = Parameters("count", arguments, {"sub"}).text(0);
  if (part.empty()) return Value(static_cast<int64_t>(length_of(steps, Value(text)) + 1));
  return Value(static_cast<int64_t>(split(steps, text, part, -1, false).size()) - 1);
}

Value join_texts(Steps& steps, const MarkedText& separator, A arguments) {
  const std::vector<Value> items = items_of(steps, Parameters("join", arguments, {"iterable"}).required(0));
  for (const Value& item : items) {
    require(item.as_text() != nullptr, "join: an item is a {}, expected a text", item.type());
  }
  return joined(steps, separator, items);
}

Value replace_in(Steps& steps, const MarkedText& text, A arguments) {
  const Parameters p("replace", arguments, {"old", "new", "count"});
  return Value(replaced(steps, text, p.text(0), p.marked(1), p.integer(2, -1)));
}

const Methods<MarkedText>& text_methods() {
  using T = const MarkedText&;
  static const Methods<MarkedText> methods = {
      {"strip", [](Steps&, T t, A a) { return text_strip(t, a, Side::both); }},
      {"lstrip", [](Steps&, T t, A a) { return text_strip(t, a, Side::left); }},
      {"rstrip", [](Steps&, T t, A a) { return text_strip(t, a, Side::right); }},
      {"upper", [](Steps&, T t, A) { return Value(with_letters(t, Letters::upper)); }},
      {"lower", [](Steps&, T t, A) { return Value(with_letters(t, Letters::lower)); }},
      {"capitalize", [](Steps&, T t, A) { return Value(with_letters(t, Letters::capitalized)); }},
      {"title", [](Steps&, T t, A) { return Value(with_letters(t, Letters::title)); }},
      {"split", [](Steps& s, T t, A a) { return text_split(s, t, a, false); }},
      {"rsplit", [](Steps& s, T t, A a) { return text_split(s, t, a, true); }},
      {"partition", [](Steps& s, T t, A a) { return text_partition(s, t, a, false); }},
      {"rpartition", [](Steps& s, T t, A a) { return text_partition(s, t, a, true); }},
      {"splitlines",
       [](Steps& s, T t, A a) {
         return Value::list(split_lines(s, t, Parameters("splitlines", a, {"keepends"}).flag(0, false)));
       }},
      {"startswith",
       [](Steps&, T t, A a) {
         return Value(fits(t, Parameters("startswith", a, {"prefix"}).required(0), false));
       }},
      {"endswith",
       [](Steps&, T t, A a) {
         return Value(fits(t, Parameters("endswith", a, {"suffix"}).required(0), true));
       }},
      {"removeprefix", [](Steps&, T t, A a) { return without_affix(t, a, false); }},
      {"removesuffix", [](Steps&, T t, A a) { return without_affix(t, a, true); }},
      {"replace", replace_in},
      {"find", [](Steps& s, T t, A a) { return text_find(s, t, a, false); }},
      {"rfind", [](Steps& s, T t, A a) { return text_find(s, t, a, true); }},
      {"count", count_in},
      {"join", join_texts},
      {"isdigit",
       [](Steps&, T t, A a) {
         return text_is(a, t, [](Character c) { return class_of(c) == CharacterClass::number; });
       }},
      {"isalpha",
       [](Steps&, T t, A a) {
         return text_is(a, t, [](Character c) { return class_of(c) == CharacterClass::letter; });
       }},
      {"isspace",
       [](Steps&, T t, A a) {
         return text_is(a, t, [](Character c) { return class_of(c) == CharacterClass::space; });
       }},
      {"isupper", [](Steps&, T t, A) { return Value(has_case(t, true)); }},
      {"islower", [](Steps&, T t, A) { return Value(has_case(t, false)); }},
  };
  return methods;
}

const Methods<Map>& map_methods() {
  using M = const Map&;
  static const Methods<Map> methods = {
      {"get",
       [](Steps& s, M m, A a) {
         const Parameters p("get", a, {"key", "default"});
         s.items(m.items.size());
         const Value* found = m.find(p.required(0));
         return found != nullptr ? *found : p.get(1) != nullptr ? *p.get(1) : Value();
       }},
      {"keys",
       [](Steps& s, M m, A) {
         s.items(m.items.size());
         std::vector<Value> keys;
         for (const auto& [key, item] : m.items) keys.push_back(key);
         return Value::list(std::move(keys));
       }},
      {"values",
       [](Steps& s, M m, A) {
         s.items(m.items.size());
         std::vector<Value> values;
         for (const auto& [key, item] : m.items) values.push_back(item);
         return Value::list(std::move(values));
       }},
      {"items",
       [](Steps& s, M m, A) {
         s.take(1 + m.items.size());
         std::vector<Value> pairs;
         for (const auto& [key, item] : m.items) pairs.push_back(Value::list({key, item}, ListKind::tuple));
         return Value::list(std::move(pairs));
       }},
  };
  return methods;
}

const Methods<List>& list_methods() {
  using L = const List&;
  static const Methods<List> methods = {
      {"index",
       [](Steps& s, L l, A a) {
         const Value value = Parameters("index", a, {"value"}).required(0);
         s.take(1 + l.weight);
         const auto found =
             std::ranges::find_if(l.items, [&](const Value& each) { return equal(each, value); });
         require(found != l.items.end(), "index: the list does not have the value");
         return Value(static_cast<int64_t>(found - l.items.begin()));
       }},
      {"count",
       [](Steps& s, L l, A a) {
         const Value value = Parameters("count", a, {"value"}).required(0);
         s.take(1 + l.weight);
         return Value(static_cast<int64_t>(
             std::ranges::count_if(l.items, [&](const Value& each) { return equal(each, value); })));
       }},
  };
  return methods;
}

// The method of a value, bound to it; undefined if there is no such method.
template <class T>
Value bound(const Methods<T>& methods, const Value& value, const T* (Value::*part)() const,
            const std::string& name) {
  const auto found = methods.find(name);
  if (found == methods.end()) return Value::undefined(name);
  return Value::function(name, [value, part, call = found->second](Steps& steps, const Arguments& arguments) {
    steps.take(value.weight());
    return call(steps, *(value.*part)(), arguments);
  });
}

// Methods that change their list or map: transformers refuses them, too.
bool changes(const std::string& name) {
  constexpr std::string_view kNames[] = {"append", "clear",   "extend",     "insert", "pop",   "popitem",
                                         "remove", "reverse", "setdefault", "sort",   "update"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

Value member_of(Steps& steps, const Value& value, const std::string& name) {
  require_defined(value);
  Value method = value.as_text() != nullptr   ? bound(text_methods(), value, &Value::as_text, name)
                 : value.as_map() != nullptr  ? bound(map_methods(), value, &Value::as_map, name)
                 : value.as_list() != nullptr ? bound(list_methods(), value, &Value::as_list, name)
                                              : Value::undefined(name);
  if (!method.is_undefined()) return method;
  if (value.as_loop() != nullptr) return loop_member(*value.as_loop(), name);
  if ((value.as_map() != nullptr || value.as_list() != nullptr) && changes(name)) {
    const Value found =
        value.as_map() != nullptr ? item_of(steps, value, Value(name)) : Value::undefined(name);
    require(!found.is_undefined(), "the template calls .{}(), but its values cannot be changed", name);
    return found;
  }
  return item_of(steps, value, Value(name));
}

}  // namespace locus::chat
