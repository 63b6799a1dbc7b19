// Settings: a flat, ordered list of dotted keys with their values as text, read from TOML and written back.
//   [train]
//   rate = 3e-4              train.rate = "0.0003", a number
//   sizes = [1, 2, 3]        train.sizes = "1, 2, 3", numbers
//   data = "verdict.txt"     train.data = "verdict.txt", a text
// Text is the common form of everything that can be configured; what a value means is checked by who takes
// it.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct Setting {
  enum class Kind { text, number, boolean, numbers };
  std::string key;  // "train.rate"
  std::string value;
  Kind kind = Kind::text;
  int line = 0;  // of the file it came from; 0 when it was set otherwise
};

class Settings {
 public:
  Settings() = default;
  // Refused with file, line and key: what is no TOML, tables in lists, dates, numbers that are not finite,
  // keys of other characters than letters, digits, '_' and '-', more than 8 levels, more than a megabyte.
  static Settings read(const std::filesystem::path& path);
  static Settings parse(std::string_view toml, const std::string& name);

  const std::vector<Setting>& all() const { return list_; }
  const Setting* find(std::string_view key) const;  // null when it is not there

  // Adds a setting or replaces its value. The kind follows from the value ("3e-4", "true", "1, 2", else a
  // text), but what was a text stays one.
  void set(std::string_view key, std::string_view value);
  // The same from one word, "train.rate=0.1", as the command line has it.
  void set(std::string_view assignment);

  // What stands right below a section, by the last part of the key; the empty section is the top.
  std::map<std::string, std::string, std::less<>> section(std::string_view name) const;
  // Refuses the keys that are not in the list, all at once, each with its line and the nearest known one.
  void require_known(std::span<const std::string_view> known) const;

  std::string toml() const;  // reads back to the same settings

 private:
  std::string place(const Setting& setting) const;  // "verdict.toml:12: "
  std::string name_;                                // of the file
  std::vector<Setting> list_;
};

// What would have to change to get from one to the other, a line each: "train.rate: 0.1, was 0.2". The order
// of keys does not count.
std::vector<std::string> differences(const Settings& before, const Settings& after);

}  // namespace locus
