// config.json of a model folder, or any other small JSON object, as dotted names and values:
//   {"rope_scaling": {"factor": 8}, "architectures": ["X"]}  becomes  rope_scaling.factor and architectures.0
// Values are checked as they are asked for; an error names the file, the field, the value and what was
// expected. What nobody asks for (auto_map, templates) is never looked at. Of a name that stands twice the
// last value counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/error.h"

namespace locus {

class Config {
 public:
  explicit Config(const std::filesystem::path& path);                  // of a file
  Config(std::string_view json, const std::filesystem::path& called);  // of text, under a file's name

  const std::filesystem::path& path() const { return path_; }

  // There, and not null: a null stands for the default wherever a value may be left out.
  bool has(std::string_view name) const;
  bool is_null(std::string_view name) const;  // said to be null: of a few fields that means none
  bool is_object(std::string_view name) const;
  bool is_list(std::string_view name) const;
  bool is_text(std::string_view name) const;

  // Without a preset the field must be there.
  int64_t integer(std::string_view name, int64_t least, int64_t most,
                  std::optional<int64_t> preset = {}) const;
  // A size of the model: 1 to 2^24, so that products of a few stay far below 2^63.
  int64_t size(std::string_view name, std::optional<int64_t> preset = {}) const;
  double number(std::string_view name, double least, double most, std::optional<double> preset = {}) const;
  bool flag(std::string_view name, std::optional<bool> preset = {}) const;
  std::string text(std::string_view name, std::optional<std::string_view> preset = {}) const;
  std::vector<std::string> texts(std::string_view name) const;  // a list; none when it is not there
  std::vector<double> numbers(std::string_view name) const;
  std::map<std::string, std::string> members(std::string_view name) const;  // of an object that holds texts
  int64_t count(std::string_view name) const;  // of a list or an object; 0 when it is not there

  // An error about a field: "'config.json': hidden_size is 7, " and what follows.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view name, fmt::format_string<Parts...> expected,
                           Parts&&... parts) const {
    fail(Fault::data, "'{}': {} is {}, {}", path_.string(), name, shown(name),
         fmt::format(expected, std::forward<Parts>(parts)...));
  }

 private:
  enum class Kind { null, boolean, integer, number, text, list, object };
  struct Value {
    Kind kind = Kind::null;
    int64_t integer = 0;  // of an integer; of a list or object, how many it holds
    double number = 0;
    bool flag = false;
    std::string text;
  };
  class Flattener;

  const Value* find(std::string_view name) const;  // nullptr: not there, or null
  const Value* find(std::string_view name, bool optional, std::string_view expected) const;
  std::string shown(std::string_view name) const;

  std::filesystem::path path_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace locus
