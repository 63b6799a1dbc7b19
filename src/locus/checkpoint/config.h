// config.json of a model folder, or any other small JSON object. Dotted names lead to values inside others:
//   {"rope_scaling": {"factor": 8}, "architectures": ["X"]}  has  rope_scaling.factor and architectures.0
// A value is checked when it is read; an error names the file, the field, the value and what was expected.
// Fields that are never read (auto_map, templates) are not checked. If a name occurs twice, the last value
// counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/json_document.h"

namespace locus {

class Config {
 public:
  explicit Config(const std::filesystem::path& path);
  Config(std::string_view json, const std::filesystem::path& name);  // from text; errors show `name`

  const std::filesystem::path& path() const { return path_; }

  // The field exists and is not null. For optional fields null means the default.
  bool has(std::string_view name) const;
  bool is_null(std::string_view name) const;  // explicitly null, which for a few fields means "none"
  bool is_object(std::string_view name) const;
  bool is_list(std::string_view name) const;
  bool is_text(std::string_view name) const;

  // A field without a preset (default) is required.
  int64_t integer(std::string_view name, int64_t least, int64_t most,
                  std::optional<int64_t> preset = {}) const;
  // A size, from 1 to 2^24, so that products of a few sizes stay far below 2^63.
  int64_t size(std::string_view name, std::optional<int64_t> preset = {}) const;
  double number(std::string_view name, double least, double most, std::optional<double> preset = {}) const;
  bool flag(std::string_view name, std::optional<bool> preset = {}) const;
  std::string text(std::string_view name, std::optional<std::string_view> preset = {}) const;
  std::vector<std::string> texts(std::string_view name) const;  // a list; empty if the field is missing
  std::vector<double> numbers(std::string_view name) const;
  std::map<std::string, std::string> members(std::string_view name) const;  // of an object of strings
  int64_t count(std::string_view name) const;  // of a list or an object; 0 if the field is missing

  // Visits the fields that no getter was called for so far, in no order: the dotted name, and the value as
  // errors show it. Those with the value null, [] or {} and the elements of lists do not count.
  using FieldVisitor = std::function<void(std::string name, std::string value)>;
  void each_unread(const FieldVisitor& visit) const { each_unread(root_, "", visit); }

  // Throws an error about a field: "'config.json': hidden_size is 7, " and then `expected`.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view name, fmt::format_string<Parts...> expected,
                           Parts&&... parts) const {
    fail(Fault::data, "'{}': {} is {}, {}", path_.string(), name, shown(name),
         fmt::format(expected, std::forward<Parts>(parts)...));
  }

  // The same for a value that is valid but that Locus does not support (Code::unsupported_field).
  template <class... Parts>
  [[noreturn]] void unsupported(std::string_view name, fmt::format_string<Parts...> expected,
                                Parts&&... parts) const {
    fail({Fault::data, Code::unsupported_field}, "'{}': {} is {}, which Locus does not support, {}",
         path_.string(), name, shown(name), fmt::format(expected, std::forward<Parts>(parts)...));
  }

 private:
  // The members of an object or the elements of a list, found in constant time.
  struct Member {
    json::Value value;
    mutable bool read = false;
  };
  struct Children {
    std::unordered_map<std::string_view, Member> members;
    std::vector<json::Value> elements;
    bool list = false;
    size_t size() const { return list ? elements.size() : members.size(); }
    std::optional<json::Value> find(std::string_view name) const;
  };
  static Children children_of(json::Value value);
  const Children& children(std::string_view name, json::Value value) const;

  std::optional<json::Value> value(std::string_view name) const;  // nothing: missing
  std::optional<json::Value> find(std::string_view name) const;   // nothing: missing or null
  std::optional<json::Value> find(std::string_view name, bool optional, std::string_view expected) const;
  std::string shown(std::string_view name) const;
  void each_unread(const Children& children, const std::string& before, const FieldVisitor& visit) const;

  std::filesystem::path path_;
  json::Document document_;
  Children root_;
  mutable std::unordered_map<std::string, Children> opened_;  // by their dotted names
};

}  // namespace locus
