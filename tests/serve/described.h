// The OpenAPI document of a service, against which tests check bodies and answers.
#pragma once

#include <set>

#include "tests/serve/collected_reply.h"
#include "tests/serve/json_schema.h"

namespace locus::serve {

class Described {
 public:
  using Value = simdjson::dom::element;

  explicit Described(Service& service) : document_(get(service, "/openapi.json").body) {}

  Value root() const { return document_.at(""); }
  Value body_schema(const std::string& path) const { return at(path, "/requestBody"); }
  Value result_schema(const std::string& path) const { return at(path, "/responses/200"); }

  // Why the body of a request, or an answer with status 200, does not fit; nothing if it does.
  std::string mismatch_of_body(const std::string& path, const std::string& body) const {
    return JsonSchema::mismatch(body_schema(path), Parsed(body).at(""), false);
  }
  std::string mismatch_of_result(const std::string& path, const std::string& body) const {
    return JsonSchema::mismatch(result_schema(path), Parsed(body).at(""), true);
  }
  // The names of the members of an object, or of all objects that the body may be.
  std::set<std::string> members_of(const std::string& path) const {
    std::set<std::string> names;
    add_members(body_schema(path), names);
    return names;
  }

 private:
  Value at(const std::string& path, const std::string& part) const {
    std::string escaped;
    for (const char c : path) escaped += c == '/' ? "~1" : std::string(1, c);
    return document_.at("/paths/" + escaped + "/post" + part + "/content/application~1json/schema");
  }
  static void add_members(Value schema, std::set<std::string>& names) {
    if (!schema["anyOf"].error()) {
      for (const Value one : list_of(schema["anyOf"])) add_members(one, names);
    }
    if (schema["properties"].error()) return;
    for (const auto [name, member] : members_in(schema["properties"])) names.emplace(name);
  }

  Parsed document_;
};

}  // namespace locus::serve
