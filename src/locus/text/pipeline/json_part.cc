#include "locus/text/pipeline/json_part.h"

#include <fmt/ranges.h>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus {

JsonPart::JsonPart(const JsonText& json, std::string place, simdjson::dom::element value)
    : json_(&json), place_(std::move(place)) {
  if (value.get_object().get(object_)) json.refuse("'" + place_ + "'", value, "an object");
}

JsonPart::JsonPart(const JsonText& json, std::string place)
    : json_(&json), place_(std::move(place)), object_(json.object()) {}

std::string JsonPart::where() const { return fmt::format("{}: '{}'", json_->where(), place_); }

bool JsonPart::has(const char* name) const {
  simdjson::dom::element value;
  return !object_.at_key(name).get(value) && !value.is_null();
}

simdjson::dom::element JsonPart::member(const char* name) const {
  simdjson::dom::element value;
  require(!object_.at_key(name).get(value), "{}: '{}.{}' is missing", json_->where(), place_, name);
  return value;
}

void JsonPart::refuse(const char* name, const char* expected) const {
  json_->refuse(fmt::format("'{}.{}'", place_, name), member(name), expected);
}

std::string JsonPart::text(const char* name, std::optional<std::string_view> preset) const {
  if (preset && !has(name)) return std::string(*preset);
  std::string_view value;
  if (member(name).get_string().get(value)) refuse(name, "a string");
  return std::string(value);
}

bool JsonPart::flag(const char* name, bool preset) const {
  if (!has(name)) return preset;
  bool value = false;
  if (member(name).get_bool().get(value)) refuse(name, "true or false");
  return value;
}

int64_t JsonPart::integer(const char* name, int64_t least, int64_t most,
                          std::optional<int64_t> preset) const {
  if (preset && !has(name)) return *preset;
  int64_t value = 0;
  if (member(name).get_int64().get(value) || value < least || value > most) {
    refuse(name, fmt::format("an integer from {} to {}", least, most).c_str());
  }
  return value;
}

JsonPart JsonPart::part(const char* name) const { return {*json_, place_ + "." + name, member(name)}; }

std::vector<JsonPart> JsonPart::parts(const char* name) const {
  simdjson::dom::array list;
  if (member(name).get_array().get(list)) refuse(name, "a list");
  std::vector<JsonPart> parts;
  for (const simdjson::dom::element value : list) {
    parts.emplace_back(*json_, fmt::format("{}.{}[{}]", place_, name, parts.size()), value);
  }
  return parts;
}

void JsonPart::refuse_type(std::string_view what, std::initializer_list<std::string_view> known) const {
  const std::string found = type();
  const std::vector<std::string_view> names(known);
  fail({Fault::data, Code::unsupported_field}, "{}: '{}' is a {} of unsupported type {}{}, expected {}",
       json_->where(), place_, what, quote(found), suggestion(found, names), fmt::join(names, ", "));
}

}  // namespace locus
