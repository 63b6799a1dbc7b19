#include "locus/serve/schema.h"

#include <algorithm>

namespace locus::serve {
namespace {

std::string type(const char* name, json::Members more = {}) {
  more.emplace(more.begin(), "type", json::text(name));
  return json::object(more);
}

}  // namespace

namespace schema {

std::string any() { return "{}"; }
std::string text() { return type("string"); }
std::string flag() { return type("boolean"); }
std::string number() { return type("number"); }
std::string integer() { return type("integer"); }

std::string number(double least, double most) {
  return type("number", {{"minimum", json::exact(least)}, {"maximum", json::exact(most)}});
}

std::string integer(int64_t least, int64_t most) {
  return type("integer", {{"minimum", json::number(least)}, {"maximum", json::number(most)}});
}

std::string list(const std::string& item, size_t least, size_t most) {
  json::Members more = {{"items", item}};
  if (least > 0) more.emplace_back("minItems", std::to_string(least));
  if (most != kUnlimited) more.emplace_back("maxItems", std::to_string(most));
  return type("array", std::move(more));
}

std::string map(const std::string& value) { return type("object", {{"additionalProperties", value}}); }

std::string value_of(std::span<const std::string> values) {
  return json::object({{"enum", json::list(values)}});
}

std::string any_of(std::initializer_list<std::string> schemas) {
  if (schemas.size() == 1) return *schemas.begin();
  return json::object({{"anyOf", json::list(std::vector<std::string>(schemas))}});
}

std::string or_null(const std::string& schema) { return any_of({schema, type("null")}); }

std::string optional(const std::string& schema, const std::string& preset) {
  const std::string either = or_null(schema);
  if (preset.empty()) return either;
  return either.substr(0, either.size() - 1) + ", \"default\": " + preset + "}";
}

std::string object(const json::Members& members, const json::Members& optional) {
  json::Members properties = members;
  properties.insert(properties.end(), optional.begin(), optional.end());
  json::Members more = {{"properties", json::object(properties)}};
  std::vector<std::string_view> names;
  for (const auto& [name, schema] : members) names.push_back(name);
  if (!names.empty()) more.emplace_back("required", json::texts(names));
  return type("object", std::move(more));
}

}  // namespace schema

void ObjectSchema::add(std::string_view name, std::string schema, bool required) {
  if (std::ranges::count(members_, name, &Member::name) > 0) return;
  members_.push_back({std::string(name), std::move(schema), required});
}

ObjectSchema& ObjectSchema::add_object(std::string_view name, bool required) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found != members_.end() && found->object) return *found->object;
  auto object = std::make_shared<ObjectSchema>();
  members_.push_back({std::string(name), "", required, object});
  return *object;
}

void ObjectSchema::add_all(const ObjectSchema& other) {
  for (const Member& member : other.members_) {
    if (std::ranges::count(members_, member.name, &Member::name) == 0) members_.push_back(member);
  }
}

std::string ObjectSchema::print() const {
  json::Members properties;
  std::vector<std::string_view> required;
  for (const Member& member : members_) {
    std::string schema = member.object ? member.object->print() : member.schema;
    if (member.object && !member.required) schema = schema::or_null(schema);
    properties.emplace_back(member.name, std::move(schema));
    if (member.required) required.push_back(member.name);
  }
  json::Members more = {{"properties", json::object(properties)}};
  if (!required.empty()) more.emplace_back("required", json::texts(required));
  more.emplace_back("additionalProperties", "false");
  return type("object", std::move(more));
}

}  // namespace locus::serve
