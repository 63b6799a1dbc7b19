#include "locus/base/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/toml.h"

namespace locus {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;

// The canonical text of a number, so that 1, 1.0 and 01 are equal; nullopt if the text is not a number.
std::optional<std::string> number_text(std::string_view text) {
  if (const auto whole = parse<int64_t>(text)) return fmt::format("{}", *whole);
  const auto real = parse<double>(text);
  return real ? std::optional(fmt::format("{}", *real + 0.0)) : std::nullopt;  // no negative zero
}

std::optional<std::string> numbers_text(std::string_view text) {
  std::string result;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    begin = std::min(text.find_first_not_of(' ', begin), end);
    const auto number = number_text(text.substr(begin, end - begin));
    if (!number) return std::nullopt;
    result += (result.empty() ? "" : ", ") + *number;
    begin = end + 1;
  }
  return result;
}

Setting setting_of(std::string_view key, std::string_view value) {
  const std::string name(key), text(value);
  if (value == "true" || value == "false") return {name, text, Setting::Kind::boolean, 0};
  if (const auto number = number_text(value)) return {name, *number, Setting::Kind::number, 0};
  if (const auto numbers = numbers_text(value)) return {name, *numbers, Setting::Kind::numbers, 0};
  return {name, text, Setting::Kind::text, 0};
}

// The value as TOML, which is also valid JSON.
std::string written(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::text:
      return json::text(setting.value);
    case Setting::Kind::numbers:
      return fmt::format("[{}]", setting.value);
    default:
      return setting.value;
  }
}

std::string_view section_of(std::string_view key) {
  const size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

std::string_view last_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }

bool below(std::string_view key, std::string_view section) {
  return key.size() > section.size() && key.starts_with(section) && key[section.size()] == '.';
}

}  // namespace

Settings Settings::read(const std::filesystem::path& path) {
  return parse(read_file(path, kMostBytes), path.string());
}

Settings Settings::parse(std::string_view toml, const std::string& name) {
  Settings settings;
  settings.name_ = name;
  settings.list_ = parse_toml(toml, name);
  return settings;
}

const Setting* Settings::find(std::string_view key) const {
  const auto found = std::ranges::find(list_, key, &Setting::key);
  return found == list_.end() ? nullptr : &*found;
}

void Settings::set(std::string_view key, std::string_view value) {
  const auto existing = std::ranges::find(list_, key, &Setting::key);
  Setting fresh = setting_of(key, value);
  if (existing != list_.end() && existing->kind == Setting::Kind::text)
    fresh = {fresh.key, std::string(value), Setting::Kind::text, 0};
  // Keys and values follow the rules of a TOML file, so that the settings can be read back.
  const std::vector<Setting> read =
      parse_toml(fmt::format("{} = {}", key, written(fresh)), quote(key).text());
  if (read.size() != 1 || read.front().key != key) fail(Fault::usage, "{} is not a valid key", quote(key));
  if (existing != list_.end()) {
    *existing = std::move(fresh);
    return;
  }
  for (const Setting& other : list_) {
    if (!below(key, other.key) && !below(other.key, key)) continue;
    fail(Fault::usage, "cannot set {}: {} is set, and a key cannot be both a value and a section", quote(key),
         quote(other.key));
  }
  list_.push_back(std::move(fresh));
}

void Settings::set(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    fail(Fault::usage, "invalid setting {}, expected key=value", quote(assignment));
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

std::map<std::string, std::string, std::less<>> Settings::section(std::string_view name) const {
  std::map<std::string, std::string, std::less<>> values;
  for (const Setting& setting : list_) {
    if (section_of(setting.key) == name) values.emplace(last_of(setting.key), setting.value);
  }
  return values;
}

std::string Settings::place(const Setting& setting) const {
  return setting.line == 0 ? "" : fmt::format("{}:{}: ", name_, setting.line);
}

void Settings::require_known(std::span<const std::string_view> known) const {
  std::vector<std::string> problems;  // one line each
  for (const Setting& setting : list_) {
    if (std::ranges::count(known, setting.key) > 0) continue;
    problems.push_back(fmt::format("{}unknown key {}{}", place(setting), quote(setting.key),
                                   suggestion(setting.key, known)));
  }
  if (!problems.empty()) fail({Fault::data, Code::unknown_option}, "{}", fmt::join(problems, "\n"));
}

std::string Settings::toml() const {
  std::vector<std::string_view> sections = {""};
  for (const Setting& setting : list_) {
    const std::string_view section = section_of(setting.key);
    if (std::ranges::count(sections, section) == 0) sections.push_back(section);
  }
  std::string text;
  for (const std::string_view section : sections) {
    if (!section.empty()) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    for (const Setting& setting : list_) {
      if (section_of(setting.key) != section) continue;
      text += fmt::format("{} = {}\n", last_of(setting.key), written(setting));
    }
  }
  return text;
}

std::string SettingChange::text() const {
  const std::string now = after ? quote(*after).text() : "not set";
  return fmt::format("{}: {}, was {}", key, now, before ? quote(*before).text() : "not set");
}

std::vector<SettingChange> differences(const Settings& before, const Settings& after) {
  std::vector<SettingChange> changes;
  for (const Setting& now : after.all()) {
    const Setting* was = before.find(now.key);
    if (was != nullptr && was->value == now.value) continue;
    changes.push_back({now.key, was == nullptr ? std::nullopt : std::optional(was->value), now.value});
  }
  for (const Setting& was : before.all()) {
    if (after.find(was.key) == nullptr) changes.push_back({was.key, was.value, std::nullopt});
  }
  return changes;
}

}  // namespace locus
