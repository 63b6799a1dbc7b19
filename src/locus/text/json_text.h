// Untrusted JSON, parsed completely before any of it is used. Every error begins with `where`: the file, or
// the file and the line.
#pragma once

#include <simdjson.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace locus {

class JsonText {
 public:
  JsonText(std::string_view text, std::string where);
  explicit JsonText(const std::filesystem::path& file);  // at most 1 GiB

  const std::string& where() const { return where_; }
  simdjson::dom::object object() const { return object_; }  // the outermost value, which must be an object

  // A required member of this type.
  std::string text(const char* member) const;
  simdjson::dom::element member(const char* name) const;  // required, of any type
  [[noreturn]] void refuse(const std::string& what, simdjson::dom::element value, const char* expected) const;

 private:
  void parse(std::string_view text);

  std::string where_;
  simdjson::dom::parser parser_;
  simdjson::dom::object object_;
};

}  // namespace locus
