#include "locus/text/chat_template/value.h"

#include <algorithm>
#include <unordered_map>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::chat {
namespace {

constexpr size_t kMostWeight = 10'000'000;

// The depth and the weight of a list or map.
struct Extent {
  int depth = 1;
  size_t weight = 1;

  void add(const Value& item) {
    require_storable(item);
    depth = std::max(depth, item.depth() + 1);
    weight += item.weight();
    require(depth <= kMostDepth, "the template has lists more than {} deep", int{kMostDepth});
    require(weight <= kMostWeight, "the template makes a list of more than {} items", size_t{kMostWeight});
  }
};

std::pair<bool, double> numeric(const Value& value) {
  if (const bool* flag = value.as_flag()) return {true, *flag ? 1 : 0};
  if (const int64_t* number = value.as_integer()) return {true, static_cast<double>(*number)};
  if (const double* number = value.as_float()) return {true, *number};
  return {false, 0};
}

int64_t whole(const Value& value) {
  return value.as_flag() != nullptr ? int64_t{*value.as_flag()} : *value.as_integer();
}

bool equal_items(const Map& a, const Map& b) {
  return a.items.size() == b.items.size() && std::ranges::all_of(a.items, [&](const auto& item) {
           const Value* other = b.find(item.first);
           return other != nullptr && equal(item.second, *other);
         });
}

}  // namespace

Value Value::undefined(std::string name) {
  Value value;
  value.data_ = Undefined{std::move(name)};
  return value;
}

Value Value::list(std::vector<Value> items, ListKind kind) {
  Extent extent;
  for (const Value& item : items) extent.add(item);
  Value value;
  value.data_ = std::make_shared<const List>(List{std::move(items), kind, extent.depth, extent.weight});
  return value;
}

Value Value::map(std::vector<std::pair<Value, Value>> items) {
  Map map;
  Extent extent;
  std::unordered_map<std::string_view, size_t> texts;  // the places of keys that are texts
  for (auto& entry : items) {
    Value &key = entry.first, &item = entry.second;
    require(key.as_list() == nullptr && key.as_map() == nullptr,
            "the template uses a {} as a key, expected a text or a number", key.type());
    extent.add(key);
    extent.add(item);
    size_t place = map.items.size();
    if (key.as_text() != nullptr) {
      place = texts.emplace(key.as_text()->bytes(), place).first->second;
    } else {
      const auto known =
          std::ranges::find_if(map.items, [&](const auto& other) { return equal(other.first, key); });
      place = static_cast<size_t>(known - map.items.begin());
    }
    if (place < map.items.size()) {
      map.items[place].second = std::move(item);
    } else {
      map.items.emplace_back(std::move(key), std::move(item));
    }
  }
  map.depth = extent.depth;
  map.weight = extent.weight;
  Value value;
  value.data_ = std::make_shared<const Map>(std::move(map));
  return value;
}

Value Value::names(std::vector<std::pair<std::string, Value>> members) {
  Value value;
  value.data_ = std::make_shared<Namespace>();
  for (auto& [name, member] : members) value.as_names()->set(name, std::move(member));
  return value;
}

Value Value::function(std::string name, std::function<Value(Steps&, const Arguments&)> call) {
  Value value;
  value.data_ = std::make_shared<const Function>(Function{std::move(name), std::move(call)});
  return value;
}

Value Value::loop(std::shared_ptr<const Loop> loop) {
  Value value;
  value.data_ = std::move(loop);
  return value;
}

bool Value::truth() const {
  if (is_undefined() || is_none()) return false;
  if (const auto [is_number, number] = numeric(*this); is_number) return number != 0;
  if (as_text() != nullptr) return as_text()->size() > 0;
  if (as_list() != nullptr) return as_list()->kind == ListKind::generator || !as_list()->items.empty();
  if (as_map() != nullptr) return !as_map()->items.empty();
  return true;
}

std::string_view Value::type() const {
  constexpr std::string_view kNames[] = {"undefined", "None", "bool",      "int",      "float", "str",
                                         "list",      "dict", "namespace", "function", "loop"};
  if (as_list() != nullptr && as_list()->kind == ListKind::tuple) return "tuple";
  if (as_list() != nullptr && as_list()->kind == ListKind::generator) return "generator";
  return kNames[data_.index()];
}

int Value::depth() const {
  if (as_list() != nullptr) return as_list()->depth;
  return as_map() != nullptr ? as_map()->depth : 0;
}

size_t Value::weight() const {
  if (as_list() != nullptr) return as_list()->weight;
  if (as_map() != nullptr) return as_map()->weight;
  return as_text() == nullptr ? 1 : 1 + as_text()->size() / 256;
}

const Value* Map::find(std::string_view key) const {
  for (const auto& [name, value] : items) {
    if (name.as_text() != nullptr && name.as_text()->bytes() == key) return &value;
  }
  return nullptr;
}

const Value* Map::find(const Value& key) const {
  for (const auto& [name, value] : items) {
    if (equal(name, key)) return &value;
  }
  return nullptr;
}

const Value* Namespace::find(std::string_view name) const {
  const auto found =
      std::ranges::find(members, name, [](const auto& m) { return std::string_view(m.first); });
  return found == members.end() ? nullptr : &found->second;
}

void Namespace::set(const std::string& name, Value value) {
  require(!name.starts_with('_'), "the template sets the member {} of a namespace, expected no underscore",
          quote(name));
  require_storable(value);
  const auto found =
      std::ranges::find(members, name, [](const auto& m) { return std::string_view(m.first); });
  if (found != members.end()) {
    found->second = std::move(value);
  } else {
    members.emplace_back(name, std::move(value));
  }
}

void require_storable(const Value& value) {
  const bool refers =
      value.as_names() != nullptr || value.as_function() != nullptr || value.as_loop() != nullptr;
  if (!refers) return;
  fail({Fault::data, Code::unsupported_field},
       "the template puts a {} into a list, a dict or a namespace, which is not supported", value.type());
}

bool equal(const Value& a, const Value& b) {
  const auto [a_is_number, x] = numeric(a);
  const auto [b_is_number, y] = numeric(b);
  if (a_is_number && b_is_number) {
    return a.as_float() == nullptr && b.as_float() == nullptr ? whole(a) == whole(b) : x == y;
  }
  if (a.as_text() != nullptr && b.as_text() != nullptr) return a.as_text()->bytes() == b.as_text()->bytes();
  if (a.as_list() != nullptr && b.as_list() != nullptr) {
    return a.as_list()->kind == b.as_list()->kind && a.as_list()->kind != ListKind::generator &&
           std::ranges::equal(a.as_list()->items, b.as_list()->items, equal);
  }
  if (a.as_map() != nullptr && b.as_map() != nullptr) return equal_items(*a.as_map(), *b.as_map());
  if (a.as_names() != nullptr && a.as_names() == b.as_names()) return true;
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

}  // namespace locus::chat
