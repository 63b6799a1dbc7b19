// An object of a JSON file whose members are checked on access. Errors name the file, the place in it, the
// value, and what was expected.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json_document.h"

namespace locus {

class JsonPart {
 public:
  JsonPart(const json::Document& json, std::string place, json::Value value);
  JsonPart(const json::Document& json, std::string place);  // the whole file

  std::string type() const { return text("type"); }
  bool exists(const char* name) const;  // may be null
  bool has(const char* name) const;     // exists and is not null
  std::string text(const char* name, std::optional<std::string_view> preset = {}) const;
  bool flag(const char* name, bool preset) const;
  int64_t integer(const char* name, int64_t least, int64_t most, std::optional<int64_t> preset = {}) const;
  double number(const char* name) const;
  json::Value member(const char* name) const;
  json::List list(const char* name) const;
  JsonPart part(const char* name) const;
  std::vector<JsonPart> parts(const char* name) const;  // the objects of a list

  const std::string& place() const { return place_; }
  const json::Document& json() const { return *json_; }
  std::string where() const;  // file and place, for errors
  [[noreturn]] void refuse(const char* name, const char* expected) const;
  // Throws because the type of this part is not supported.
  [[noreturn]] void refuse_type(std::string_view what, std::initializer_list<std::string_view> known) const;

 private:
  const json::Document* json_;
  std::string place_;
  json::Object object_;
};

}  // namespace locus
