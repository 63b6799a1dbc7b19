#include "locus/base/options.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Kind = OptionSpec::Kind;

constexpr OptionSpec kSpecs[] = {
    {.name = "joined", .kind = Kind::boolean, .preset = "false", .help = "concatenate instead of add"},
    {.name = "rows", .kind = Kind::integer, .preset = "512", .help = "rows of the table", .least = 1},
    {.name = "base",
     .kind = Kind::number,
     .preset = "1e4",
     .help = "base of the angles",
     .least = 1,
     .most = 1e9},
    {.name = "pairs", .kind = Kind::choice, .preset = "halves", .choices = "halves|interleaved"},
    {.name = "factors", .kind = Kind::numbers, .preset = "", .help = "one for each pair", .least = 0},
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
  expect_error(Fault::usage, Code::unknown_option, {"test", "'bsae'", "joined, rows, base, pairs", "'base'"},
               [] {
                 options({{"bsae", "1"}});
               });
  expect_error(Fault::usage, Code::unknown_option, {"test", "'x'"}, [] {
    Options("test", {}, {{"x", "1"}});
  });
  try {
    options({{"bsae", "1"}});
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean 'base'?");
  }
}

// The error names the owner, the option and the value, and `expected`.
void expect_refused(const char* name, const std::string& value, const char* expected) {
  expect_error(Fault::usage, Code::none, {"test", name, ("'" + value + "'").c_str(), expected}, [&] {
    options({{name, value}});
  });
}

TEST(Options, RefuseAValueOfAnotherKind) {
  expect_refused("joined", "yes", "true or false");
  expect_refused("rows", "1.5", "a whole number of at least 1");
  expect_refused("rows", "", "a whole number of at least 1");
  expect_refused("rows", "7 8", "a whole number of at least 1");
  expect_refused("rows", "99999999999999999999", "a whole number of at least 1");
  expect_refused("base", "big", "a number from 1 to 1000000000");
  expect_refused("base", "nan", "a number from 1 to 1000000000");
  expect_refused("base", "inf", "a number from 1 to 1000000000");
  expect_refused("base", "1e999", "a number from 1 to 1000000000");
  expect_refused("pairs", "interleave", "halves|interleaved");
  expect_refused("pairs", "interleave", "'interleaved'");
  expect_refused("factors", "1,,2", "0");
  expect_refused("factors", "1,a", "0");
}

TEST(Options, RefuseAValueOutOfRange) {
  expect_refused("rows", "0", "a whole number of at least 1");
  expect_refused("base", "0.5", "a number from 1 to 1000000000");
  expect_refused("shift", "4", "a number of at most 3");
  expect_refused("factors", "1,-1", "at least 0");
}

TEST(Options, CatchASchemeReadingWhatItDidNotList) {
  expect_error(Fault::bug, {"test", "'width'"}, [] { options({}).number("width"); });
  expect_error(Fault::bug, {"test", "'rows'"}, [] { options({}).number("rows"); });
  constexpr OptionSpec kBadPreset[] = {{.name = "rows", .kind = Kind::integer, .preset = "many"}};
  expect_error(Fault::bug, {"rows", "'many'"}, [&] { Options("test", kBadPreset, {}); });
}

}  // namespace
}  // namespace locus
