#include "locus/base/options.h"

#include <fmt/format.h>

#include <optional>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/trim.h"

namespace locus {
namespace {

using Kind = OptionSpec::Kind;

std::vector<std::string_view> names_of(std::span<const OptionSpec> specs) {
  std::vector<std::string_view> names;
  for (const OptionSpec& spec : specs) names.push_back(spec.name);
  return names;
}

std::string list_of(const std::vector<std::string_view>& names) {
  return names.empty() ? "no options" : fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace

bool acceptable(const OptionSpec& spec, std::string_view text) {
  const auto within = [&](auto value) {
    return value && static_cast<double>(*value) >= spec.least && static_cast<double>(*value) <= spec.most;
  };
  switch (spec.kind) {
    case Kind::boolean:
      return text == "true" || text == "false";
    case Kind::integer:
      return within(parse<int64_t>(text));
    case Kind::number:
      return within(parse<double>(text));
    case Kind::choice:
      for (const std::string_view choice : split(spec.choices, '|')) {
        if (text == choice) return true;
      }
      return false;
    case Kind::numbers:
      for (const std::string_view part : split(text, ',')) {
        if (!within(parse<double>(part))) return false;
      }
      return true;
    case Kind::text:
      return true;
  }
  return false;
}

std::string expected(const OptionSpec& spec) {
  switch (spec.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::choice:
      return fmt::format("one of {}", spec.choices);
    case Kind::text:
      return "text";
    default:
      break;
  }
  std::string text = spec.kind == Kind::integer  ? "a whole number"
                     : spec.kind == Kind::number ? "a number"
                                                 : "comma-separated numbers, each";
  constexpr OptionSpec kUnbounded;
  const bool from = spec.least != kUnbounded.least, to = spec.most != kUnbounded.most;
  if (from && to) return text + fmt::format(" from {} to {}", spec.least, spec.most);
  if (from) return text + fmt::format(" of at least {}", spec.least);
  if (to) return text + fmt::format(" of at most {}", spec.most);
  return spec.kind == Kind::numbers ? "comma-separated numbers" : text;
}

std::string complaint(const OptionSpec& spec, std::string_view value) {
  return fmt::format("is {}, expected {}{}", quote(value), expected(spec),
                     suggestion(value, split(spec.choices, '|')));
}

std::string unknown_option(std::string_view name, std::span<const OptionSpec> specs) {
  const std::vector<std::string_view> known = names_of(specs);
  return fmt::format("{}{}, expected {}{}", kUnknownOption, quote(name), list_of(known),
                     suggestion(name, known));
}

Options::Options(std::string_view owner, std::span<const OptionSpec> specs, const OptionValues& values)
    : owner_(owner), specs_(specs) {
  for (const OptionSpec& spec : specs) {
    const auto given = values.find(spec.name);
    const std::string_view value = trim(given == values.end() ? spec.preset : given->second);
    if (!acceptable(spec, value)) {
      const Fault fault = given == values.end() ? Fault::bug : Fault::usage;
      fail({fault, Code::none, did_you_mean(value, split(spec.choices, '|'))},
           "{}: option {} is {}, expected {}", owner, spec.name, quote(value), expected(spec));
    }
    values_.emplace(spec.name, value);
  }
  for (const auto& [name, value] : values) {
    if (values_.contains(name)) continue;
    const std::vector<std::string_view> known = names_of(specs);
    fail({Fault::usage, Code::unknown_option, did_you_mean(name, known)}, "{}: {}{}, expected {}", owner,
         kUnknownOption, quote(name), list_of(known));
  }
}

const std::string& Options::text(std::string_view name, Kind kind) const {
  for (const OptionSpec& spec : specs_) {
    if (spec.name == name && spec.kind == kind) return values_.find(name)->second;
  }
  fail(Fault::bug, "{} reads option '{}', which is not in its list or has another kind", owner_, name);
}

bool Options::flag(std::string_view name) const { return text(name, Kind::boolean) == "true"; }

int64_t Options::integer(std::string_view name) const { return *parse<int64_t>(text(name, Kind::integer)); }

double Options::number(std::string_view name) const { return *parse<double>(text(name, Kind::number)); }

const std::string& Options::choice(std::string_view name) const { return text(name, Kind::choice); }

std::vector<double> Options::numbers(std::string_view name) const {
  std::vector<double> result;
  for (const std::string_view part : split(text(name, Kind::numbers), ',')) {
    result.push_back(*parse<double>(part));
  }
  return result;
}

}  // namespace locus
