// The members of a JSON object in the body of a request. Each getter names a member that the route knows;
// null counts as missing. done() refuses all other members. Errors name the member.
//
// Fields over an ObjectSchema describe instead: each getter adds the schema of its member and returns its
// preset, or an empty value. So one function reads the body of a route and writes its schema.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json_document.h"
#include "locus/serve/schema.h"

namespace locus::serve {

inline constexpr int64_t kMostCount = 1 << 24;  // of tokens, choices and so on

// The body as JSON: at most 64 levels deep, and no object repeats a name.
json::Document parse_body(std::string_view body);

class Fields {
 public:
  // `place` begins the names in errors, such as "parameters."; empty for the whole body.
  Fields(json::Object object, std::string place = "") : object_(object), place_(std::move(place)) {}
  explicit Fields(const json::Document& body);
  explicit Fields(ObjectSchema& schema);
  static Fields none(std::string place = "");  // without members

  // An optional and a required member of any type. A required member is nothing only while describing, and
  // only then the schema is read.
  std::optional<json::Value> find(std::string_view name, const std::string& schema,
                                  const std::string& preset = "");
  std::optional<json::Value> member(std::string_view name, const std::string& schema);

  std::string text(std::string_view name);
  std::string text(std::string_view name, std::string_view preset);
  std::optional<std::string> optional_text(std::string_view name);
  // One of these texts.
  std::string choice(std::string_view name, std::string_view preset,
                     std::span<const std::string_view> values);
  std::string optional_choice(std::string_view name, std::span<const std::string_view> values);  // or empty
  bool flag(std::string_view name, bool preset);
  std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most);
  int64_t integer(std::string_view name, int64_t least, int64_t most, int64_t preset);
  std::optional<double> number(std::string_view name, double least, double most);
  // A list of 1 to `most` strings, or also a single string.
  std::vector<std::string> texts(std::string_view name, size_t most);
  std::vector<std::string> one_or_more(std::string_view name, size_t most);
  // The same if the member exists; the list may be empty.
  std::optional<std::vector<std::string>> any_number(std::string_view name, size_t most);
  Fields object(std::string_view name);           // required
  Fields optional_object(std::string_view name);  // without members if it is missing

  // Members that do not change a result.
  void ignore(std::initializer_list<std::string_view> names);
  // Members that would change the result, and that are not supported. false and null change nothing.
  void unsupported(std::initializer_list<std::string_view> names);
  // The same where false would change the result, too.
  void refuse_any(std::initializer_list<std::string_view> names);
  void done() const;

  bool describes() const { return schema_ != nullptr; }
  ObjectSchema& schema() const { return *schema_; }  // only if it describes
  std::string name_of(std::string_view name) const { return place_ + std::string(name); }
  // Throws if a list is empty or too long. Does nothing while describing.
  void check_count(std::string_view name, size_t count, size_t most) const;
  // Throws because a member is not as expected.
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;
  // Throws because the value of a member is not supported.
  [[noreturn]] void refuse_unsupported(std::string_view name, std::string_view expected = "") const;

 private:
  std::string choice_of(std::string_view name, json::Value value,
                        std::span<const std::string_view> values) const;
  std::vector<std::string> texts_of(std::string_view name, json::Value value) const;
  std::vector<std::string> one_or_more_of(std::string_view name, json::Value value) const;

  json::Object object_;
  std::string place_;
  std::vector<std::string_view> known_;
  ObjectSchema* schema_ = nullptr;
};

// Reads "truncation_direction", which must be "right": the direction of the tokenizer.
void expect_right_truncation(Fields& fields);

}  // namespace locus::serve
