#include "locus/base/json_part.h"

#include <fmt/ranges.h>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus {
namespace {

json::Object object_of(const json::Document& json, const std::string& place, json::Value value) {
  const auto object = value.object();
  if (!object) json.refuse("'" + place + "'", value, "an object");
  return *object;
}

}  // namespace

JsonPart::JsonPart(const json::Document& json, std::string place, json::Value value)
    : json_(&json), place_(std::move(place)), object_(object_of(json, place_, value)) {}

JsonPart::JsonPart(const json::Document& json, std::string place)
    : json_(&json), place_(std::move(place)), object_(json.object()) {}

std::string JsonPart::where() const { return fmt::format("{}: '{}'", json_->where(), place_); }

bool JsonPart::exists(const char* name) const { return object_.find(name).has_value(); }

bool JsonPart::has(const char* name) const {
  const auto value = object_.find(name);
  return value && !value->is_null();
}

json::Value JsonPart::member(const char* name) const {
  const auto value = object_.find(name);
  require(value.has_value(), "{}: '{}.{}' is missing", json_->where(), place_, name);
  return *value;
}

json::List JsonPart::list(const char* name) const {
  const auto list = member(name).list();
  if (!list) refuse(name, "a list");
  return *list;
}

void JsonPart::refuse(const char* name, const char* expected) const {
  json_->refuse(fmt::format("'{}.{}'", place_, name), member(name), expected);
}

std::string JsonPart::text(const char* name, std::optional<std::string_view> preset) const {
  if (preset && !has(name)) return std::string(*preset);
  const auto value = member(name).text();
  if (!value) refuse(name, "a string");
  return std::string(*value);
}

bool JsonPart::flag(const char* name, bool preset) const {
  if (!has(name)) return preset;
  const auto value = member(name).flag();
  if (!value) refuse(name, "true or false");
  return *value;
}

int64_t JsonPart::integer(const char* name, int64_t least, int64_t most,
                          std::optional<int64_t> preset) const {
  if (preset && !has(name)) return *preset;
  const auto value = member(name).integer();
  if (!value || *value < least || *value > most) {
    refuse(name, fmt::format("an integer from {} to {}", least, most).c_str());
  }
  return *value;
}

double JsonPart::number(const char* name) const {
  const auto value = member(name).number();
  if (!value) refuse(name, "a number");
  return *value;
}

JsonPart JsonPart::part(const char* name) const { return {*json_, place_ + "." + name, member(name)}; }

std::vector<JsonPart> JsonPart::parts(const char* name) const {
  std::vector<JsonPart> parts;
  for (const json::Value value : list(name)) {
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
