#include "locus/base/options.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Kind = OptionSpec::Kind;

constexpr OptionSpec kSpecs[] = {
    {.name = "joined", .kind = Kind::boolean, .preset = "false", .help = "behind, not on top"},
    {.name = "rows", .kind = Kind::integer, .preset = "512", .help = "of the table", .least = 1},
    {.name = "base", .kind = Kind::number, .preset = "1e4", .help = "of the angles", .least = 1, .most = 1e9},
    {.name = "pairs", .kind = Kind::choice, .preset = "halves", .choices = "halves|interleaved"},
    {.name = "factors", .kind = Kind::numbers, .preset = "", .help = "one a pair", .least = 0},
    {.name = "shift", .kind = Kind::number, .preset = "-0.5", .most = 3},
};

Options options(const OptionValues& values) { return Options("test", kSpecs, values); }

TEST(Options, HaveTheirDefaults) {
  const Options read = options({});
  EXPECT_FALSE(read.flag("joined"));
  EXPECT_EQ(read.integer("rows"), 512);
  EXPECT_EQ(read.number("base"), 10000.0);
  EXPECT_EQ(read.choice("pairs"), "halves");
  EXPECT_TRUE(read.numbers("factors").empty());
  EXPECT_EQ(read.number("shift"), -0.5);
}

TEST(Options, TakeWhatIsGiven) {
  const Options read = options({{"joined", "true"},
                                {"rows", " 7 "},
                                {"base", "500000.5"},
                                {"pairs", "interleaved"},
                                {"factors", "1, 2.5,4e0"}});
  EXPECT_TRUE(read.flag("joined"));
  EXPECT_EQ(read.integer("rows"), 7);
  EXPECT_EQ(read.number("base"), 500000.5);
  EXPECT_EQ(read.choice("pairs"), "interleaved");
  EXPECT_EQ(read.numbers("factors"), (std::vector<double>{1, 2.5, 4}));
}

TEST(Options, AreWrittenOutWithTheirDefaults) {
  EXPECT_EQ(options({{"rows", " 7"}}).values(), (OptionValues{{"joined", "false"},
                                                              {"rows", "7"},
                                                              {"base", "1e4"},
                                                              {"pairs", "halves"},
                                                              {"factors", ""},
                                                              {"shift", "-0.5"}}));
}

RC_GTEST_PROP(Options, ReadBackFromTheirText, (double shift, std::vector<double> factors)) {
  shift = -std::abs(shift);
  for (double& factor : factors) factor = std::abs(factor);
  const Options first =
      options({{"shift", fmt::format("{}", shift)}, {"factors", fmt::format("{}", fmt::join(factors, ","))}});
  const Options second = options(first.values());
  RC_ASSERT(second.number("shift") == shift);
  RC_ASSERT(second.numbers("factors") == factors);
  RC_ASSERT(second.values() == first.values());
}

TEST(Options, RefuseAnUnknownName) {
  expect_error(Fault::usage,
               {"test: unknown option 'bsae'; did you mean 'base'?; it has joined, rows, base, pairs"}, [] {
                 options({{"bsae", "1"}});
               });
  expect_error(Fault::usage, {"test: unknown option 'x'; it has no options"}, [] {
    Options("test", {}, {{"x", "1"}});
  });
}

TEST(Options, RefuseAValueOfAnotherKind) {
  const auto refused = [](const char* name, const char* value, const char* text) {
    expect_error(Fault::usage, {text}, [&] { options({{name, value}}); });
  };
  refused("joined", "yes", "test: option joined is 'yes', expected true or false");
  refused("rows", "1.5", "test: option rows is '1.5', expected a whole number of at least 1");
  refused("rows", "", "test: option rows is '', expected a whole number of at least 1");
  refused("rows", "7 8", "test: option rows is '7 8', expected a whole number");
  refused("rows", "99999999999999999999", "option rows is '99999999999999999999', expected a whole number");
  refused("base", "big", "test: option base is 'big', expected a number from 1 to 1000000000");
  refused("base", "nan", "test: option base is 'nan', expected a number from 1 to");
  refused("base", "inf", "test: option base is 'inf', expected a number from 1 to");
  refused("base", "1e999", "test: option base is '1e999', expected a number from 1 to");
  refused(
      "pairs", "interleave",
      "test: option pairs is 'interleave', expected one of halves|interleaved; did you mean 'interleaved'?");
  refused("factors", "1,,2",
          "test: option factors is '1,,2', expected numbers separated by commas, each of at least 0");
  refused("factors", "1,a", "test: option factors is '1,a', expected numbers separated by commas");
}

TEST(Options, RefuseAValueOutOfRange) {
  const auto refused = [](const char* name, const char* value, const char* text) {
    expect_error(Fault::usage, {text}, [&] { options({{name, value}}); });
  };
  refused("rows", "0", "test: option rows is '0', expected a whole number of at least 1");
  refused("base", "0.5", "test: option base is '0.5', expected a number from 1 to 1000000000");
  refused("shift", "4", "test: option shift is '4', expected a number of at most 3");
  refused("factors", "1,-1",
          "test: option factors is '1,-1', expected numbers separated by commas, each of at least 0");
}

TEST(Options, CatchASchemeReadingWhatItDidNotList) {
  expect_error(Fault::bug, {"test: reads an option 'width' that its list does not have"},
               [] { options({}).number("width"); });
  expect_error(Fault::bug, {"'rows'", "or has as another kind"}, [] { options({}).number("rows"); });
  constexpr OptionSpec kBadPreset[] = {{.name = "rows", .kind = Kind::integer, .preset = "many"}};
  expect_error(Fault::bug, {"option rows is 'many'"}, [&] { Options("test", kBadPreset, {}); });
}

}  // namespace
}  // namespace locus
