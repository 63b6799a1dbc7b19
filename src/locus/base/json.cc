#include "locus/base/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>

namespace locus::json {
namespace {

std::vector<std::string> written(const Members& members) {
  std::vector<std::string> result;
  for (const auto& [name, value] : members) result.push_back(fmt::format("{}: {}", text(name), value));
  return result;
}

}  // namespace

std::string text(std::string_view value) {
  // Characters with a short escape. serde_json, which the safetensors writer uses, escapes the same ones.
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string result = "\"";
  for (const char c : value) {
    if (const size_t i = kEscaped.find(c); i != std::string_view::npos) {
      (result += '\\') += kLetters[i];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number(double value) {
  const auto rounded = static_cast<float>(value);  // may be infinite although the double is finite
  return std::isfinite(rounded) ? fmt::format("{}", rounded) : "null";
}

std::string exact(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string number(int64_t value) { return fmt::format("{}", value); }

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string list(std::span<const std::string> items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

std::string texts(std::span<const std::string_view> values) {
  std::vector<std::string> items;
  for (const std::string_view value : values) items.push_back(text(value));
  return list(items);
}

std::string texts(std::span<const std::string> values) {
  return texts(std::vector<std::string_view>(values.begin(), values.end()));
}

std::string numbers(std::span<const double> values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(number(value));
  return list(items);
}

std::string numbers(std::span<const int32_t> values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string object(const Members& members) {
  return fmt::format("{{{}}}", fmt::join(written(members), ", "));
}

std::string lines(std::span<const std::string> items) {
  return fmt::format("[\n  {}\n]\n", fmt::join(items, ",\n  "));
}

std::string lines(const Members& members) {
  return fmt::format("{{\n  {}\n}}\n", fmt::join(written(members), ",\n  "));
}

}  // namespace locus::json
