// Options: named values, each with a kind, a default and a help text. All sources (command line, TOML, a
// saved model) give them as text. They are checked against the list of options once, so that later code can
// trust them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

inline constexpr double kNoLimit = 1e300;

struct OptionSpec {
  enum class Kind { boolean, integer, number, choice, numbers, text };
  std::string_view name;
  Kind kind = Kind::number;
  std::string_view preset;  // the default, as text; for numbers, empty means no numbers
  std::string_view help;
  std::string_view choices;                   // for choice: "interleaved|halves"
  double least = -kNoLimit, most = kNoLimit;  // for integer, number and each of numbers
};

// Describes the values an option accepts: "a whole number of at least 1", "one of interleaved|halves".
std::string expected(const OptionSpec& spec);
bool acceptable(const OptionSpec& spec, std::string_view value);
// Describes a value that is not acceptable: "is 'x', expected one of a|b; did you mean 'a'?"
std::string complaint(const OptionSpec& spec, std::string_view value);
// "unknown option 'depht', expected one of depth, width; did you mean 'depth'?"
inline constexpr std::string_view kUnknownOption = "unknown option ";  // how this text starts
std::string unknown_option(std::string_view name, std::span<const OptionSpec> known);

// As the caller gave them.
using OptionValues = std::map<std::string, std::string, std::less<>>;

// As their owner reads them: every option in its list is present and valid.
class Options {
 public:
  // Fails for unknown names (Code::unknown_option) and for values of the wrong kind or out of range. The
  // error names `owner`, the option, the value and what was expected, and suggests the nearest valid word.
  Options(std::string_view owner, std::span<const OptionSpec> specs, const OptionValues& values);

  bool flag(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& choice(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;  // "1, 2.5, 4"

  // All options, including defaults, as text that reads back to the same values.
  const OptionValues& values() const { return values_; }

 private:
  const std::string& text(std::string_view name, OptionSpec::Kind kind) const;
  std::string owner_;
  std::span<const OptionSpec> specs_;
  OptionValues values_;
};

}  // namespace locus
