#include <gtest/gtest.h>

#include <cmath>

#include "locus/scheme/rotary_frequencies.h"
#include "tests/expect_error.h"
#include "tests/scheme/making.h"
#include "tests/scheme/rotation.h"

namespace locus {
namespace {

// As in tools/golden/schemes_input.py: heads of size 16, trained length 64.
constexpr Geometry kRotaryGeometry{.width = 32, .heads = 2, .head_size = 16, .max_length = 64};

struct Case {
  const char* name;
  int64_t length;
  OptionValues options;
};

const Case kCases[] = {
    {"none", 131072, {}},
    {"base500000", 131072, {{"base", "500000"}}},
    {"linear", 131072, {{"scaling", "linear"}, {"factor", "4"}}},
    {"dynamic", 64, {{"scaling", "dynamic"}, {"factor", "2"}}},
    {"dynamic", 131072, {{"scaling", "dynamic"}, {"factor", "2"}}},
    {"yarn", 131072, {{"scaling", "yarn"}, {"factor", "4"}}},
    {"yarn_untruncated",
     131072,
     {{"scaling", "yarn"}, {"factor", "4"}, {"truncate", "false"}, {"beta_fast", "16"}, {"beta_slow", "2"}}},
    {"yarn_mscale",
     131072,
     {{"scaling", "yarn"}, {"factor", "40"}, {"mscale", "1"}, {"mscale_all_dim", "0.8"}}},
    {"yarn_attention", 131072, {{"scaling", "yarn"}, {"factor", "4"}, {"attention_factor", "0.75"}}},
    {"longrope",
     64,
     {{"scaling", "longrope"},
      {"factor", "4"},
      {"short_factor", "1,1.125,1.25,1.375,1.5,1.625,1.75,1.875"},
      {"long_factor", "1.1,2.4,3.7,5.0,6.3,7.6,8.9,10.2"}}},
    {"longrope",
     131072,
     {{"scaling", "longrope"},
      {"factor", "4"},
      {"short_factor", "1,1.125,1.25,1.375,1.5,1.625,1.75,1.875"},
      {"long_factor", "1.1,2.4,3.7,5.0,6.3,7.6,8.9,10.2"}}},
    {"llama3",
     131072,
     {{"scaling", "llama3"}, {"base", "500000"}, {"factor", "8"}, {"original_length", "8192"}}},
    {"ntk", 131072, {{"scaling", "ntk"}, {"factor", "4"}}},
};

struct Angles {
  std::vector<float> cos, sin;
};

// One sequence with the golden positions below its length, and its last position.
Angles angles(const Case& c, OptionValues options, const char* precision) {
  options["precision"] = precision;
  std::vector<int32_t> ids;
  const Tensor positions = golden("rotary").read("positions");
  for (const int32_t position : positions.data<int32_t>()) {
    if (position < c.length) ids.push_back(position);
  }
  const size_t count = ids.size();
  ids.push_back(static_cast<int32_t>(c.length - 1));
  const Placement placement = Placement::given(Tensor::of({1, static_cast<int64_t>(ids.size())}, ids));
  const RotationTerm term = *make("rotary", options, kRotaryGeometry).scheme->begin(placement).rotation();
  Angles result;
  for (size_t i = 0; i < count; ++i) {
    for (int64_t n = 0; n < 8; ++n) {
      const int64_t at = term.query_rows.values()[i] * 8 + n;
      result.cos.push_back(term.cos.data<float>()[at]);
      result.sin.push_back(term.sin.data<float>()[at]);
    }
  }
  return result;
}

std::string label(const Case& c) { return std::string(c.name) + "." + std::to_string(c.length); }

TEST(Rotary, PreciseTablesAreRoundedOnce) {
  const SafetensorsFile file = golden("rotary");
  for (const Case& c : kCases) {
    SCOPED_TRACE(label(c));
    const Angles actual = angles(c, c.options, "precise");
    const auto check = [](const std::vector<float>& values, const Tensor& exact) {
      ASSERT_EQ(values.size(), static_cast<size_t>(exact.numel()));
      for (size_t i = 0; i < values.size(); ++i) {
        // Half an ulp for the rounding; an angle of 1e5 with an error of 2^-53 in its frequency adds 4e-11.
        const float nearest = static_cast<float>(exact.data<double>()[i]);
        const double ulp = std::abs(double{std::nextafter(nearest, 2.0f)} - nearest);
        ASSERT_NEAR(values[i], exact.data<double>()[i], 0.5 * ulp + 4e-11) << i;
      }
    };
    check(actual.cos, file.read(label(c) + ".exact_cos"));
    check(actual.sin, file.read(label(c) + ".exact_sin"));
  }
}

std::vector<float> hf_frequencies(OptionValues options, const Geometry& geometry, int64_t length) {
  options["precision"] = "hf";
  const RotaryFrequencies f = frequencies_of(
      geometry, read_options<Rotary>(Options("rotary", scheme_info("rotary").options.list(), options)));
  const std::vector<double> values = f.of(f.variant(length));
  return {values.begin(), values.end()};
}

TEST(Rotary, HfFrequenciesHaveTransformersBits) {
  const SafetensorsFile file = golden("rotary");
  for (const Case& c : kCases) {
    if (!file.has(label(c) + ".frequency")) continue;  // transformers has no ntk
    SCOPED_TRACE(label(c));
    EXPECT_EQ(hf_frequencies(c.options, kRotaryGeometry, c.length),
              file.read(label(c) + ".frequency").values());
  }
  const OptionValues llama3{
      {"scaling", "llama3"}, {"base", "500000"}, {"factor", "8"}, {"original_length", "6000"}};
  EXPECT_EQ(hf_frequencies(llama3, {.width = 512, .heads = 2, .head_size = 256}, 1),
            file.read("llama3_wide.frequency").values());
}

TEST(Rotary, HfTablesAreTransformersUpToItsSines) {
  // Locus has the correctly rounded cosine of the same f32 angle. The vector cosine of torch differs from it
  // by up to 2 ulp, 1.2e-7 near 1, and is multiplied by the attention factor, below 1.4 here.
  const SafetensorsFile file = golden("rotary");
  for (const Case& c : kCases) {
    if (!file.has(label(c) + ".cos")) continue;
    SCOPED_TRACE(label(c));
    const Angles actual = angles(c, c.options, "hf");
    const std::vector<float> cos = file.read(label(c) + ".cos").values();
    const std::vector<float> sin = file.read(label(c) + ".sin").values();
    const std::vector<float> angle = file.read(label(c) + ".angle").values();
    const float factor = cos[0];  // of position 0
    ASSERT_EQ(actual.cos.size(), cos.size());
    for (size_t i = 0; i < cos.size(); ++i) {
      ASSERT_EQ(actual.cos[i], static_cast<float>(std::cos(double{angle[i]})) * factor) << i;
      ASSERT_EQ(actual.sin[i], static_cast<float>(std::sin(double{angle[i]})) * factor) << i;
      ASSERT_NEAR(actual.cos[i], cos[i], 1.2e-7f * factor) << i;
      ASSERT_NEAR(actual.sin[i], sin[i], 1.2e-7f * factor) << i;
    }
  }
}

TEST(Rotary, TurnsAsLlamaNeoxAndGptjDo) {
  const SafetensorsFile file = golden("rotated");
  const Geometry geometry{.width = 16, .heads = 2, .head_size = 8};
  const std::pair<std::string, OptionValues> models[] = {
      {"llama", {}}, {"neox", {{"width", "4"}}}, {"gptj", {{"width", "4"}, {"pairs", "interleaved"}}}};
  for (const auto& [model, options] : models) {
    const RotationTerm term = *make("rotary", options, geometry).scheme->begin(of_lengths({9})).rotation();
    for (const std::string side : {"q", "k"}) {
      const std::vector<double> actual = rotated(file.read(side), term, 8, side == "k");
      const std::vector<float> expected = file.read(model + "." + side).values();
      for (size_t i = 0; i < expected.size(); ++i) {
        // f32 angles up to 8 have an error of half an ulp (2.4e-7), and multiply numbers up to 3.
        ASSERT_NEAR(actual[i], expected[i], 2e-6) << model << " " << side << " " << i;
      }
    }
  }
}

// The rows of cosines of the queries of one sequence.
std::vector<float> seen(const RotationTerm& term, const Placement& placement, int64_t sequence) {
  const auto starts = placement.sequences().query_starts.values();
  std::vector<float> result;
  for (int32_t n = starts[sequence]; n < starts[sequence + 1]; ++n) {
    const int32_t row = term.query_rows.values()[n];
    const std::vector<float> values = term.cos.rows(row, row + 1).values();
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

TEST(Rotary, LooksAtEachSequencesOwnLength) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Made made = make("rotary", c.options, kRotaryGeometry);
    const std::vector<int64_t> lengths{30, 100, 64, 300, 100, 0};
    const Placement batch = of_lengths(lengths);
    const RotationTerm term = *made.scheme->begin(batch).rotation();
    for (size_t b = 0; b < lengths.size(); ++b) {
      const Placement alone = of_lengths({lengths[b]});
      ASSERT_EQ(seen(term, batch, static_cast<int64_t>(b)),
                seen(*made.scheme->begin(alone).rotation(), alone, 0))
          << b;
    }
  }
}

TEST(Rotary, DynamicTablesGrowWithACache) {
  const Made made = make("rotary", {{"scaling", "dynamic"}, {"factor", "2"}}, kRotaryGeometry);
  const Placement full = of_lengths({101}), step = of_lengths({1}).after(of_lengths({100}));
  const RotationTerm whole = *made.scheme->begin(full).rotation(),
                     last = *made.scheme->begin(step).rotation();
  const auto row = last.query_rows.values()[0], expected = whole.query_rows.values()[100];
  EXPECT_EQ(last.cos.rows(row, row + 1).values(), whole.cos.rows(expected, expected + 1).values());
  const auto key = last.key_rows.values()[3], expected_key = whole.key_rows.values()[3];
  EXPECT_EQ(last.sin.rows(key, key + 1).values(), whole.sin.rows(expected_key, expected_key + 1).values())
      << "keys of the cache turn as the whole sequence's now do";
}

TEST(Rotary, TakesItsFactorFromTheLengths) {
  const Geometry geometry{.width = 32, .heads = 2, .head_size = 16, .max_length = 256};
  const auto table = [&](const OptionValues& options) {
    return make("rotary", options, geometry).scheme->begin(of_lengths({100})).rotation()->cos.values();
  };
  EXPECT_EQ(table({{"scaling", "yarn"}, {"original_length", "64"}}),
            table({{"scaling", "yarn"}, {"original_length", "64"}, {"factor", "4"}}));
}

TEST(Rotary, RefusesOptionsThatDoNotFit) {
  const auto refused = [](const OptionValues& options, std::initializer_list<const char*> values,
                          Geometry geometry = kRotaryGeometry) {
    expect_error(Fault::usage, values, [&] { make("rotary", options, geometry); });
  };
  refused({{"width", "18"}}, {"rotary", "width", "18", "16"});
  refused({{"width", "5"}}, {"rotary", "width", "5"});
  refused({{"scaling", "rope"}}, {"rotary", "scaling", "'rope'", "none|linear|dynamic"});
  refused({{"scaling", "yanr"}, {"factor", "2"}}, {"'yanr'", "'yarn'"});
  refused({{"factor", "4"}}, {"rotary", "factor", "4", "0", "none"});
  refused({{"scaling", "linear"}, {"factor", "0.5"}}, {"rotary", "factor", "0.5", "1", "0"});
  refused({{"scaling", "linear"}}, {"rotary", "linear", "factor", "original_length", "max_length"});
  refused({{"scaling", "llama3"}, {"factor", "8"}}, {"rotary", "llama3", "original_length", "max_length"},
          {.width = 32, .heads = 2, .head_size = 16});
  refused({{"scaling", "ntk"}, {"factor", "2"}, {"width", "2"}}, {"rotary", "ntk", "width", "2"});
  refused({{"scaling", "yarn"}, {"factor", "2"}, {"base", "1"}}, {"rotary", "yarn", "base", "1"});
  refused({{"scaling", "yarn"}, {"factor", "2"}, {"beta_fast", "0.5"}},
          {"rotary", "beta_fast", "0.5", "beta_slow", "1"});
  refused({{"scaling", "llama3"}, {"factor", "2"}, {"high_freq_factor", "1"}},
          {"rotary", "high_freq_factor is 1", "low_freq_factor = 1"});
  refused({{"scaling", "longrope"}, {"factor", "2"}, {"short_factor", "1,2"}},
          {"rotary", "short_factor", "2", "8"});
  refused({{"long_factor", "1,2"}}, {"rotary", "long_factor", "none", "longrope"});
  refused({{"attention_factor", "2"}}, {"rotary", "attention_factor", "2", "0", "yarn", "longrope"});
  refused({{"scaling", "longrope"},
           {"factor", "2"},
           {"original_length", "1"},
           {"short_factor", "1,1,1,1,1,1,1,1"},
           {"long_factor", "1,1,1,1,1,1,1,1"}},
          {"rotary", "longrope", "original_length", "1"});
}

}  // namespace
}  // namespace locus
