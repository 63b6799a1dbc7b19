// Options: named values with a kind, a default and a sentence each. Text is the common form (command line,
// TOML, a saved model), checked against the list once, so that who reads a value can trust it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct OptionSpec {
  enum class Kind { boolean, integer, number, choice, numbers, text };
  std::string_view name;
  Kind kind = Kind::number;
  std::string_view preset;  // the default, as text; empty numbers: none given
  std::string_view help;
  std::string_view choices;             // for choice: "interleaved|halves"
  double least = -1e300, most = 1e300;  // for integer, number and each of numbers
};

// The values it takes, in words: "a whole number of at least 1", "one of interleaved|halves".
std::string expected(const OptionSpec& spec);
bool acceptable(const OptionSpec& spec, std::string_view value);
// What is wrong with a value that is not acceptable: "is 'x', expected one of a|b; did you mean 'a'?"
std::string complaint(const OptionSpec& spec, std::string_view value);
// "unknown option 'depht'; did you mean 'depth'?"
std::string unknown_option(std::string_view name, std::span<const OptionSpec> known);

// As the caller wrote them.
using OptionValues = std::map<std::string, std::string, std::less<>>;

// As their owner reads them: every option of its list present and valid.
class Options {
 public:
  // Unknown names, values of the wrong kind, out of range: an error that names `owner`, the option, the
  // value, what is expected, and the nearest right word.
  Options(std::string_view owner, std::span<const OptionSpec> specs, const OptionValues& values);

  bool flag(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& choice(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;  // "1, 2.5, 4"

  // Everything, defaults included, as text that reads back to the same values.
  const OptionValues& values() const { return values_; }

 private:
  const std::string& text(std::string_view name, OptionSpec::Kind kind) const;
  std::string owner_;
  std::span<const OptionSpec> specs_;
  OptionValues values_;
};

}  // namespace locus
