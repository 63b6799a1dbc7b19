#include "locus/text/chat_template/sequence.h"

#include <algorithm>
#include <optional>

#include "locus/base/quote.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

// Where the characters of a text begin, and its end.
std::vector<size_t> places_of(Steps& steps, const std::string& text) {
  steps.bytes(text.size());
  std::vector<size_t> places;
  for (size_t i = 0; i < text.size(); i += character_at(text, i).length) places.push_back(i);
  places.push_back(text.size());
  return places;
}

std::optional<int64_t> place_of(const Value& value) {
  if (value.is_none()) return std::nullopt;
  const auto place = integer_of(value);
  require(place.has_value(), "the template uses a {} as a place of a slice, expected an integer",
          value.type());
  return place;
}

// The indices of a slice, as Python's slice.indices().
std::vector<size_t> indices_of(size_t size, const Value& begin, const Value& end, const Value& step) {
  const int64_t count = static_cast<int64_t>(size), by = place_of(step).value_or(1);
  require(by != 0, "the step of a slice is 0, expected another number");
  const int64_t least = by > 0 ? 0 : -1, most = by > 0 ? count : count - 1;
  const auto limited = [&](std::optional<int64_t> place, int64_t preset) {
    if (!place) return preset;
    return std::clamp(*place < 0 && *place >= -count ? *place + count : std::max<int64_t>(*place, -1), least,
                      most);
  };
  const int64_t first = limited(place_of(begin), by > 0 ? least : most);
  const int64_t last = limited(place_of(end), by > 0 ? most : least);
  std::vector<size_t> indices;
  const int64_t stride = std::clamp<int64_t>(by, -count - 1, count + 1);
  for (int64_t i = first; by > 0 ? i < last : i > last; i += stride)
    indices.push_back(static_cast<size_t>(i));
  return indices;
}

}  // namespace

size_t length_of(Steps& steps, const Value& value) {
  if (const List* list = value.as_list(); list != nullptr && list->kind != ListKind::generator) {
    return list->items.size();
  }
  if (value.as_map() != nullptr) return value.as_map()->items.size();
  if (value.as_text() != nullptr) return places_of(steps, value.as_text()->bytes()).size() - 1;
  require(value.is_undefined(), "the template asks for the length of a {}, expected a list, a dict or a text",
          value.type());
  return 0;
}

Value item_of(Steps& steps, const Value& value, const Value& index) {
  require_defined(value);
  const std::string name = index.as_text() != nullptr ? index.as_text()->bytes() : std::string(index.type());
  if (const Map* map = value.as_map()) {
    steps.items(map->items.size());
    const Value* found = index.as_text() != nullptr ? map->find(index.as_text()->bytes()) : map->find(index);
    if (found != nullptr) return *found;
  } else if (const Namespace* names = value.as_names()) {
    const Value* found = index.as_text() != nullptr ? names->find(index.as_text()->bytes()) : nullptr;
    if (found != nullptr) return *found;
  } else if (const auto place = integer_of(index);
             place && (value.as_list() != nullptr || value.as_text() != nullptr)) {
    const bool list = value.as_list() != nullptr;
    const auto places = list ? std::vector<size_t>() : places_of(steps, value.as_text()->bytes());
    const auto size = static_cast<int64_t>(list ? value.as_list()->items.size() : places.size() - 1);
    const int64_t i = *place < 0 ? *place + size : *place;
    if (i >= 0 && i < size && list) return value.as_list()->items[static_cast<size_t>(i)];
    if (i >= 0 && i < size)
      return Value(
          value.as_text()->slice(places[static_cast<size_t>(i)], places[static_cast<size_t>(i) + 1]));
    return Value::undefined(fmt::format("item {} of a {}", *place, value.type()));
  }
  return Value::undefined(fmt::format("{} of a {}", quote(name), value.type()));
}

Value slice_of(Steps& steps, const Value& value, const Value& begin, const Value& end, const Value& step) {
  require_defined(value);
  if (const List* list = value.as_list()) {
    steps.take(1 + list->items.size());
    std::vector<Value> items;
    for (const size_t i : indices_of(list->items.size(), begin, end, step)) items.push_back(list->items[i]);
    return Value::list(std::move(items), list->kind);
  }
  const MarkedText* text = value.as_text();
  require(text != nullptr, "the template takes a slice of a {}, expected a list or a text", value.type());
  const std::vector<size_t> places = places_of(steps, text->bytes());
  const std::vector<size_t> indices = indices_of(places.size() - 1, begin, end, step);
  if (indices.empty()) return Value("");
  if (indices.back() - indices.front() + 1 == indices.size()) {
    return Value(text->slice(places[indices.front()], places[indices.back() + 1]));
  }
  steps.take(indices.size());
  MarkedText result;
  for (const size_t i : indices) result.append(text->slice(places[i], places[i + 1]));
  return Value(std::move(result));
}

}  // namespace locus::chat
