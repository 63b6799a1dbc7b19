// The members of a JSON object in the body of a request. Each getter names a member that the route knows;
// null counts as missing. done() refuses all other members. Errors name the member.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json_document.h"

namespace locus::serve {

inline constexpr int64_t kMostCount = 1 << 24;  // of tokens, choices and so on

// The body as JSON: at most 64 levels deep, and no object repeats a name.
json::Document parse_body(std::string_view body);

class Fields {
 public:
  // `place` begins the names in errors, such as "parameters."; empty for the whole body.
  Fields(json::Object object, std::string place = "") : object_(object), place_(std::move(place)) {}
  explicit Fields(const json::Document& body);

  std::optional<json::Value> find(std::string_view name);
  json::Value member(std::string_view name);  // required
  std::string text(std::string_view name);
  std::string text(std::string_view name, std::string_view preset);
  bool flag(std::string_view name, bool preset);
  std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most);
  std::optional<double> number(std::string_view name, double least, double most);
  std::vector<std::string> texts(std::string_view name);        // a list of strings
  std::vector<std::string> one_or_more(std::string_view name);  // a string, or a list of strings
  Fields object(std::string_view name);                         // required

  // Members that do not change a result.
  void ignore(std::initializer_list<std::string_view> names);
  // Members that would change the result, and that are not supported. false and null change nothing.
  void unsupported(std::initializer_list<std::string_view> names);
  void done() const;

  std::string name_of(std::string_view name) const { return place_ + std::string(name); }
  // Throws because a member is not as expected.
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;

 private:
  json::Object object_;
  std::string place_;
  std::vector<std::string_view> known_;
};

// Reads "truncation_direction", which must be "right": the direction of the tokenizer.
void expect_right_truncation(Fields& fields);

}  // namespace locus::serve
