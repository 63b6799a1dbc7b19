#include "locus/base/toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

constexpr size_t kMostSettings = 10'000;  // lookups are linear

// Whether a backslash is before a non-ASCII character, with nothing between but blanks and line ends.
bool before_non_ascii(std::string_view text, size_t backslash) {
  const size_t next = text.find_first_not_of(" \t\r\n\v\f", backslash + 1);
  return next != std::string_view::npos && static_cast<unsigned char>(text[next]) >= 0x80;
}

// Index after the string that begins at `at`. `where` begins errors.
size_t end_of_string(std::string_view text, size_t at, std::string_view where) {
  const char mark = text[at];
  const std::string triple(3, mark);
  const bool long_one = text.substr(at).starts_with(triple);
  for (size_t i = at + (long_one ? 3 : 1); i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\') {
      require(!before_non_ascii(text, i),
              "{}: non-ASCII character after a backslash, expected an escape sequence, or a continued line "
              "that begins with an ASCII character",
              where);
      ++i;
    } else if (long_one ? text.substr(i).starts_with(triple) : text[i] == mark || text[i] == '\n') {
      i += long_one ? 3 : 1;
      // A long string may end with one or two quotation marks of its own.
      for (int own = 0; long_one && own < 2 && i < text.size() && text[i] == mark; ++own) ++i;
      return i;
    }
  }
  return text.size();
}

// Rejects input that crashes toml++ 3.3.0, the version of Debian 12. It limits the depth of nested values but
// not the number of parts of a key, and destroys its tables by recursion: a key of a million parts overflows
// the stack. Some non-ASCII characters make it reach code marked as unreachable: outside of strings, where
// none are valid, and after a backslash in a string, also at the start of the next line. So it must agree
// with toml++ on what a string is, also where the text is not valid: a quotation mark begins a string only
// where a key or a value may begin.
void check_outline(std::string_view text, const std::string& name) {
  int dots = 0, line = 1;
  char before = '\n';  // the last character that is not blank
  for (size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size();) {  // a byte order mark
    const char c = text[i];
    if (c == '"' || c == '\'') {
      require(std::string_view("=,[{.\n").find(before) != std::string_view::npos,
              "{}:{}: quotation mark after {}, expected it at the start of a key or a value", name, line,
              quote(std::string_view(&before, 1)));
      const size_t end = end_of_string(text, i, fmt::format("{}:{}", name, line));
      before = text[end - 1];
      line += static_cast<int>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    require(static_cast<unsigned char>(c) < 0x80,
            "{}:{}: non-ASCII character outside of a string, expected it in quotation marks", name, line);
    if (c == '\n') ++line;
    if (c != ' ' && c != '\t' && c != '\r') before = c;
    if (c == '.') ++dots;
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
    require(dots < kMaxTomlDepth, "{}:{}: key has too many parts, expected at most {}", name, line,
            kMaxTomlDepth);
    ++i;
  }
}

// Collects the values of nested tables as settings with dotted keys.
class SettingCollector {
 public:
  explicit SettingCollector(const std::string& name) : name_(name) {}

  // check_outline() and the check below limit the depth of the recursion.
  void add(const toml::table& table, const std::string& path, int depth) {
    for (const auto& [key, node] : table) {
      line_ = static_cast<int>(key.source().begin.line);
      check_key(key.str());
      const std::string full = path.empty() ? std::string(key.str()) : fmt::format("{}.{}", path, key.str());
      if (const toml::table* inner = node.as_table()) {
        require(depth < kMaxTomlDepth, "{}:{}: {} is nested too deeply, expected at most {} levels", name_,
                line_, quote(full), kMaxTomlDepth);
        add(*inner, full, depth + 1);
      } else {
        require(list_.size() < kMostSettings, "{}:{}: too many settings, expected at most {}", name_, line_,
                kMostSettings);
        places_.push_back({key.source().begin.line, key.source().begin.column});
        list_.push_back(setting(full, node));
      }
    }
  }

  std::vector<Setting> in_order() {
    std::vector<size_t> order(list_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](size_t i) { return places_[i]; });
    std::vector<Setting> sorted;
    for (const size_t i : order) sorted.push_back(std::move(list_[i]));
    return sorted;
  }

 private:
  void check_key(std::string_view key) const {
    const bool plain = !key.empty() && std::ranges::all_of(key, [](char c) {
      return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
             c == '-';
    });
    require(plain, "{}:{}: invalid key {}, expected letters, digits, '_' and '-'", name_, line_, quote(key));
  }

  Setting setting(const std::string& key, const toml::node& node) const {
    if (const auto* text = node.as_string()) return {key, text->get(), Setting::Kind::text, line_};
    if (const auto* flag = node.as_boolean())
      return {key, flag->get() ? "true" : "false", Setting::Kind::boolean, line_};
    if (const toml::array* array = node.as_array()) {
      std::vector<std::string> parts;
      for (const toml::node& item : *array) parts.push_back(number(key, item));
      return {key, fmt::format("{}", fmt::join(parts, ", ")), Setting::Kind::numbers, line_};
    }
    return {key, number(key, node), Setting::Kind::number, line_};
  }

  std::string number(const std::string& key, const toml::node& node) const {
    if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
    const auto* real = node.as_floating_point();
    require(
        real != nullptr,
        "{}:{}: {} has an unsupported type, expected a string, a number, true, false or a list of numbers",
        name_, line_, quote(key));
    require(std::isfinite(real->get()), "{}:{}: {} is {}, expected a finite number", name_, line_, quote(key),
            real->get());
    return fmt::format("{}", real->get() + 0.0);  // no negative zero
  }

  const std::string& name_;
  int line_ = 0;  // of the current key
  std::vector<Setting> list_;
  std::vector<std::pair<uint32_t, uint32_t>> places_;
};

}  // namespace

std::vector<Setting> parse_toml(std::string_view text, const std::string& name) {
  check_outline(text, name);
  const toml::parse_result result = toml::parse(text, name);
  if (!result) {
    const toml::parse_error& error = result.error();
    fail(Fault::data, "{}:{}: {}", name, error.source().begin.line, error.description());
  }
  SettingCollector collector(name);
  collector.add(result.table(), "", 1);
  return collector.in_order();
}

}  // namespace locus
