// The list of all schemes. To add one, add its file and a line in each of the two lists.
#include <algorithm>
#include <cmath>
#include <vector>

#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/trim.h"
#include "locus/scheme/combination.h"

namespace locus {

extern const SchemeInfo kNone;
extern const SchemeInfo kLearned;
extern const SchemeInfo kSinusoidal;
extern const SchemeInfo kRotary;
extern const SchemeInfo kXpos;
extern const SchemeInfo kAlibi;
extern const SchemeInfo kT5;
extern const SchemeInfo kKerple;
extern const SchemeInfo kShaw;
extern const SchemeInfo kTransformerXl;
extern const SchemeInfo kDeberta;
extern const SchemeInfo kFire;

namespace {

// clang-format off
constexpr const SchemeInfo* kSchemes[] = {
    &kNone,
    &kLearned,
    &kSinusoidal,
    &kRotary,
    &kXpos,
    &kAlibi,
    &kT5,
    &kKerple,
    &kShaw,
    &kTransformerXl,
    &kDeberta,
    &kFire,
};
// clang-format on

void check_geometry(const Geometry& geometry) {
  const auto positive = [](int64_t size, const char* name) {
    require(size > 0, "make_scheme: geometry.{} is {}, expected at least 1", name, size);
  };
  positive(geometry.width, "width");
  positive(geometry.heads, "heads");
  positive(geometry.head_size, "head_size");
  positive(geometry.layers, "layers");
  require(geometry.max_length >= 0,
          "make_scheme: geometry.max_length is {}, expected at least 1, or 0 if it is unknown",
          geometry.max_length);
}

// The scheme with this alias in any letter case; empty if there is none.
std::string_view name_of_alias(std::string_view word) {
  for (const SchemeInfo* info : schemes()) {
    for (const std::string_view alias : split(info->aliases, ',')) {
      if (alias.size() == word.size() && edit_distance(alias, word) == 0) return info->name;
    }
  }
  return {};
}

}  // namespace

std::span<const SchemeInfo* const> schemes() { return kSchemes; }

bool acts_on_input(const SchemeInfo& info) {
  return info.parts.empty()
             ? info.acts_on == ActsOn::input
             : std::ranges::any_of(info.parts, [](const SchemeInfo* part) { return acts_on_input(*part); });
}

std::string_view name_of(ActsOn place) {
  constexpr std::string_view kNames[] = {"nothing", "input", "rotation", "score"};
  return kNames[static_cast<size_t>(place)];
}

const SchemeInfo& scheme_info(std::string_view name) {
  if (name.find(kPlus) != std::string_view::npos) return combination_info(name);
  std::vector<std::string_view> names;
  for (const SchemeInfo* info : schemes()) {
    if (info->name == name) return *info;
    names.push_back(info->name);
  }
  const std::string_view alias = name_of_alias(name);
  const std::string hint =
      alias.empty() ? did_you_mean(name, names) : fmt::format("did you mean {}?", quote(alias));
  fail({Fault::usage, Code::unknown_scheme, hint}, "unknown scheme {}, expected one of {}", quote(name),
       fmt::join(names, ", "));
}

OptionValues extended(const Extension& extension, int64_t trained_length, int64_t new_length) {
  OptionValues values;
  for (const auto& [name, value] : extension.options) {
    if (value == "{length}") {
      values.emplace(name, fmt::format("{}", new_length));
    } else if (value == "{factor}") {
      values.emplace(
          name, fmt::format("{}", static_cast<double>(new_length) / static_cast<double>(trained_length)));
    } else {
      values.emplace(name, value);
    }
  }
  return values;
}

OptionValues options_for_length(const SchemeInfo& info, int64_t length) {
  OptionValues values;
  const auto trained = static_cast<double>(length);
  for (const LengthRule& rule : info.length_rules) {
    if (trained >= rule.length) continue;
    const double value = std::max(rule.least, std::floor(rule.value * trained / rule.length));
    values.emplace(rule.option, fmt::format("{}", value));
  }
  for (const SchemeInfo* part : info.parts) {
    for (const auto& [name, value] : options_for_length(*part, length)) {
      values.emplace(fmt::format("{}.{}", part->name, name), value);
    }
  }
  return values;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const Geometry& geometry,
                                    const OptionValues& values, const Scope& scope,
                                    const InitRandom& random) {
  const SchemeInfo& info = scheme_info(name);
  check_geometry(geometry);
  const Options options(info.name, info.options, values);
  return info.make ? info.make(geometry, options, scope, random)
                   : make_combination(info, geometry, options, scope, random);
}

}  // namespace locus
