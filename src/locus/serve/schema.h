// JSON Schemas (draft 2020-12) as JSON texts: what bodies and answers look like, for the OpenAPI document.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json.h"

namespace locus::serve {

namespace schema {

inline constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

std::string any();
std::string text();
std::string flag();
std::string number();
std::string number(double least, double most);
std::string integer();
std::string integer(int64_t least, int64_t most);
std::string list(const std::string& item, size_t least = 0, size_t most = kUnlimited);
std::string map(const std::string& value);                  // an object with any names
std::string value_of(std::span<const std::string> values);  // one of these JSON texts
std::string any_of(std::initializer_list<std::string> schemas);
std::string or_null(const std::string& schema);
// The same with the JSON text of its preset, or without one.
std::string optional(const std::string& schema, const std::string& preset);
// An object with these members, and perhaps `optional` ones.
std::string object(const json::Members& members, const json::Members& optional = {});

}  // namespace schema

// The schema of an object whose members become known one by one. The first description of a name counts.
class ObjectSchema {
 public:
  void add(std::string_view name, std::string schema, bool required = false);
  // The schema of a member that is an object. It stays valid.
  ObjectSchema& add_object(std::string_view name, bool required);
  void add_all(const ObjectSchema& other);
  std::string print() const;  // other members are invalid

 private:
  struct Member {
    std::string name, schema;
    bool required = false;
    std::shared_ptr<ObjectSchema> object = {};
  };
  std::vector<Member> members_;
};

}  // namespace locus::serve
