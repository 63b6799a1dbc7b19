// The variants that the conformance suite tests: every scheme with its defaults, then with each of its flags
// and choices changed, then combinations of schemes. A new scheme in schemes() is included automatically.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "locus/scheme/scheme.h"

namespace locus::testing {

struct Variant {
  std::string name;  // "alibi", "alibi_scaled_true"
  const SchemeInfo* info = nullptr;
  OptionValues options;
  bool by_length = false;  // its tables depend on the length, and so on a shift of the positions
};

// Other options that a choice requires.
struct Companion {
  std::string_view option, choice;
  OptionValues options;
  bool by_length = false;
};
inline const std::vector<Companion>& companions() {
  static const OptionValues longer = {{"factor", "4"}, {"original_length", "32"}};
  static const std::vector<Companion> all = {
      {"scaling", "linear", longer},
      {"scaling", "dynamic", longer, true},
      {"scaling", "ntk", longer},
      {"scaling", "yarn", longer},
      {"scaling",
       "longrope",
       {{"factor", "4"}, {"original_length", "32"}, {"short_factor", "1, 1.5"}, {"long_factor", "2, 4"}},
       true},
      {"scaling", "llama3", longer},
  };
  return all;
}

inline std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name; }

inline std::vector<std::string> choices_of(const OptionSpec& spec) {
  if (spec.kind == OptionSpec::Kind::boolean) return {"true", "false"};
  std::vector<std::string> choices;
  if (spec.kind != OptionSpec::Kind::choice) return choices;
  for (size_t begin = 0; begin <= spec.choices.size();) {
    const size_t end = std::min(spec.choices.find('|', begin), spec.choices.size());
    choices.emplace_back(spec.choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const SchemeInfo* info : schemes()) {
    all.push_back({std::string(info->name), info, {}});
    for (const OptionSpec& spec : info->options.list()) {
      for (const std::string& choice : choices_of(spec)) {
        if (choice == spec.preset) continue;
        const std::string option(spec.name);
        Variant variant{fmt::format("{}_{}_{}", info->name, option, choice), info, {{option, choice}}};
        for (const Companion& companion : companions()) {
          if (companion.option != option || companion.choice != choice) continue;
          variant.options.insert(companion.options.begin(), companion.options.end());
          variant.by_length = companion.by_length;
        }
        all.push_back(variant);
      }
    }
  }
  for (const char* name : {"learned+t5", "sinusoidal+rotary+deberta"})
    all.push_back({name, &scheme_info(name), {}});
  return all;
}

class Conformance : public ::testing::TestWithParam<Variant> {};

// In each file of the suite: INSTANTIATE_TEST_SUITE_P(Schemes, ItsFixture, every_variant(), variant_name);
inline auto every_variant() { return ::testing::ValuesIn(variants()); }
inline std::string variant_name(const ::testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.name;
  for (char& letter : name) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return name;
}

}  // namespace locus::testing
