// Settings: a flat, ordered list of dotted keys with their values as text, read from TOML and written back.
//   [train]
//   learning_rate = 3e-4     train.learning_rate = "0.0003", a number
//   sizes = [1, 2, 3]        train.sizes = "1, 2, 3", numbers
//   data = "verdict.txt"     train.data = "verdict.txt", a text
// Every value is kept as text. The code that uses a setting checks it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct Setting {
  enum class Kind { text, number, boolean, numbers };
  std::string key;  // "train.learning_rate"
  std::string value;
  Kind kind = Kind::text;
  int line = 0;  // in its file; 0 if it does not come from a file
};

class Settings {
 public:
  Settings() = default;
  // Fails, naming the file, line and key, for: invalid TOML; tables in lists; dates; infinity and NaN; keys
  // with characters other than letters, digits, '_' and '-'; more than 8 levels; more than 1 MiB.
  static Settings read(const std::filesystem::path& path);
  static Settings parse(std::string_view toml, const std::string& name);

  const std::vector<Setting>& all() const { return list_; }
  const Setting* find(std::string_view key) const;  // null if it is not set

  // Adds a setting or replaces its value. The kind follows from the value ("3e-4", "true", "1, 2", otherwise
  // text), except that an existing text stays text.
  void set(std::string_view key, std::string_view value);
  // The same from one word, "train.learning_rate=0.1", as on the command line.
  void set(std::string_view assignment);

  // The settings directly in a section, by the last part of their keys. The empty name is the top level.
  std::map<std::string, std::string, std::less<>> section(std::string_view name) const;
  // Fails with Code::unknown_option if keys are not in the list. One error reports all of them, each with its
  // line and a suggestion.
  void require_known(std::span<const std::string_view> known) const;

  std::string toml() const;  // reads back to the same settings

 private:
  std::string place(const Setting& setting) const;  // "verdict.toml:12: "
  std::string name_;                                // the file's name
  std::vector<Setting> list_;
};

// A setting with another value, or one that is set only before or only after.
struct SettingChange {
  std::string key;
  std::optional<std::string> before, after;

  bool operator==(const SettingChange&) const = default;
  std::string text() const;  // "train.learning_rate: '0.1', was '0.2'"
};
// The differences. The order of keys does not matter.
std::vector<SettingChange> differences(const Settings& before, const Settings& after);

}  // namespace locus
