// Filters on lists and maps.
#include <algorithm>
#include <map>

#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/filters.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/rewrite.h"
#include "locus/text/chat_template/sequence.h"

namespace locus::chat {
namespace {

using V = const Value&;
using A = const Arguments&;

// A text in lowercase, by which lists are sorted unless case matters.
Value sort_key(Steps& steps, V value, bool cased) {
  if (cased || value.as_text() == nullptr) return value;
  steps.bytes(value.as_text()->size());
  return Value(with_letters(*value.as_text(), Letters::lower));
}

template <class T, class Key>
std::vector<T> sorted(Steps& steps, std::vector<T> items, bool reversed, Key key) {
  std::vector<std::pair<Value, size_t>> order;
  for (const T& item : items) order.emplace_back(key(item), order.size());
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    steps.take();
    return reversed ? is_less(steps, b.first, a.first) : is_less(steps, a.first, b.first);
  });
  std::vector<T> result;
  for (const auto& [unused, i] : order) result.push_back(items[i]);
  return result;
}

Value sort(Steps& steps, V value, A arguments) {
  const Parameters p("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  const auto key = [&](V item) {
    return sort_key(steps, p.get(2) == nullptr ? item : at_path(steps, item, *p.get(2)), p.flag(1, false));
  };
  return Value::list(sorted(steps, items_of(steps, value), p.flag(0, false), key));
}

Value sort_map(Steps& steps, V value, A arguments) {
  const Parameters p("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  const Map* map = value.as_map();
  require(map != nullptr, "dictsort: got a {}, expected a dict", value.type());
  const std::string by = p.get(1) == nullptr ? "key" : p.text(1);
  require(by == "key" || by == "value", "dictsort: by is '{}', expected 'key' or 'value'", by);
  const auto key = [&](const auto& item) {
    return sort_key(steps, by == "key" ? item.first : item.second, p.flag(0, false));
  };
  std::vector<Value> pairs;
  for (const auto& [name, item] : sorted(steps, map->items, p.flag(2, false), key)) {
    pairs.push_back(Value::list({name, item}, ListKind::tuple));
  }
  return Value::list(std::move(pairs));
}

Value unique(Steps& steps, V value, A arguments) {
  const Parameters p("unique", arguments, {"case_sensitive", "attribute"});
  std::vector<Value> kept, keys;
  for (V item : items_of(steps, value)) {
    const Value key =
        sort_key(steps, p.get(1) == nullptr ? item : at_path(steps, item, *p.get(1)), p.flag(0, false));
    steps.items(keys.size());
    if (std::ranges::any_of(keys, [&](V other) { return equal(key, other); })) continue;
    kept.push_back(item);
    keys.push_back(key);
  }
  return Value::list(std::move(kept), ListKind::generator);
}

Value extreme(Steps& steps, V value, A arguments, bool greatest) {
  const Parameters p(greatest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const auto key = [&](V item) {
    return sort_key(steps, p.get(1) == nullptr ? item : at_path(steps, item, *p.get(1)), p.flag(0, false));
  };
  const std::vector<Value> items = items_of(steps, value);
  if (items.empty()) return Value::undefined("the extreme of an empty list");
  const Value* best = items.data();
  for (V item : items) {
    steps.take();
    if (greatest ? is_less(steps, key(*best), key(item)) : is_less(steps, key(item), key(*best)))
      best = &item;
  }
  return *best;
}

Value reverse(Steps& steps, V value, A) {
  if (value.as_text() != nullptr) return slice_of(steps, value, Value(), Value(), Value(int64_t{-1}));
  std::vector<Value> items = items_of(steps, value);
  std::ranges::reverse(items);
  return Value::list(std::move(items), ListKind::generator);
}

Value join(Steps& steps, V value, A arguments) {
  const Parameters p("join", arguments, {"d", "attribute"});
  std::vector<Value> items = items_of(steps, value);
  for (Value& item : items) {
    if (p.get(1) != nullptr && !p.get(1)->is_none()) item = at_path(steps, item, *p.get(1));
  }
  return joined(steps, p.get(0) == nullptr ? MarkedText() : p.marked(0), items);
}

Value sum(Steps& steps, V value, A arguments) {
  const Parameters p("sum", arguments, {"attribute", "start"});
  Value result = p.get(1) == nullptr ? Value(int64_t{0}) : *p.get(1);
  for (V item : items_of(steps, value)) {
    steps.take();
    result = arithmetic(steps, "+", result, p.get(0) == nullptr ? item : at_path(steps, item, *p.get(0)));
  }
  return result;
}

Value end_of(Steps& steps, V value, bool last) {
  const std::vector<Value> items = items_of(steps, value);
  if (items.empty())
    return Value::undefined(last ? "the last item of an empty list" : "the first item of an empty list");
  return last ? items.back() : items.front();
}

Value items(Steps& steps, V value, A) {
  if (value.is_undefined()) return Value::list({}, ListKind::generator);
  const Map* map = value.as_map();
  require(map != nullptr, "items: got a {}, expected a dict", value.type());
  steps.take(1 + map->items.size());
  std::vector<Value> pairs;
  for (const auto& [key, item] : map->items) pairs.push_back(Value::list({key, item}, ListKind::tuple));
  return Value::list(std::move(pairs), ListKind::generator);
}

Value length(Steps& steps, V value, A) { return Value(static_cast<int64_t>(length_of(steps, value))); }

}  // namespace

Filter list_filter(std::string_view name) {
  static const std::map<std::string, Filter, std::less<>> filters = {
      {"list", [](Steps& s, V v, A) { return Value::list(items_of(s, v)); }},
      {"length", length},
      {"count", length},
      {"first", [](Steps& s, V v, A) { return end_of(s, v, false); }},
      {"last", [](Steps& s, V v, A) { return end_of(s, v, true); }},
      {"join", join},
      {"items", items},
      {"dictsort", sort_map},
      {"sort", sort},
      {"reverse", reverse},
      {"unique", unique},
      {"min", [](Steps& s, V v, A a) { return extreme(s, v, a, false); }},
      {"max", [](Steps& s, V v, A a) { return extreme(s, v, a, true); }},
      {"sum", sum},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : found->second;
}

}  // namespace locus::chat
