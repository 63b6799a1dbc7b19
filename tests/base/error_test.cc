#include "locus/base/error.h"

#include <set>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Values = std::vector<std::string>;

template <class F>
Error error_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {Fault::bug, ""};
}

TEST(Error, CarriesItsFaultAndItsText) {
  const Error error = error_of([] { fail(Fault::io, "cannot open '{}' at line {}", "a.txt", 7); });
  EXPECT_EQ(error.fault(), Fault::io);
  EXPECT_EQ(error.code(), Code::none);
  EXPECT_EQ(error.hint(), "");
  EXPECT_STREQ(error.what(), "cannot open 'a.txt' at line 7");
  EXPECT_EQ(error.message(), error.what());
}

TEST(Error, IsCutIfAFileMakesItVeryLong) {
  const std::string long_name = "a" + std::string(1 << 20, 'x');
  const Error error = error_of([&] { fail(Fault::data, "'{}' is {}", long_name, 3); });
  EXPECT_LT(error.message().size(), 20'000U);
  EXPECT_TRUE(error.message().starts_with("'axxx"));
  EXPECT_TRUE(error.message().ends_with("... (1048584 bytes)")) << error.message().substr(16'000);
  EXPECT_LT(error.values()[0].size(), 20'000U);
  EXPECT_EQ(error.values()[1], "3");
  std::string accents;  // of two bytes each, after one byte
  for (int i = 0; i < 10'000; ++i) accents += "é";
  const std::string cut = error_of([&] { fail(Fault::data, "{}", "a" + accents); }).message();
  EXPECT_EQ(cut, ("a" + accents).substr(0, 16'383) + "... (20001 bytes)");
}

TEST(Error, RequireThrowsOnlyWhenFalse) {
  EXPECT_NO_THROW(require(true, "never seen {}", 1));
  EXPECT_NO_THROW(require(true, Code::bad_shape, "never seen {}", 1));
  expect_error(Fault::data, Code::none, {"rank 3, expected 2"},
               [] { require(false, "rank {}, expected {}", 3, 2); });
  expect_error(Fault::data, Code::bad_shape, {"rank 3, expected 2"},
               [] { require(false, Code::bad_shape, "rank {}, expected {}", 3, 2); });
}

TEST(Error, HasTheValuesOfItsMessage) {
  const std::string path = "a b.txt";
  EXPECT_EQ(error_of([&] { fail(Fault::io, "'{}': got {:.1f}, expected {}", path, 0.25, -3); }).values(),
            (Values{"a b.txt", "0.25", "-3"}));
  EXPECT_EQ(error_of([] { fail(Fault::io, "nothing to format"); }).values(), Values{});
  EXPECT_EQ(error_of([] { require(false, Code::bad_token, "id {}", 9); }).values(), Values{"9"});
}

TEST(Error, ShowsItsHintAfterTheMessage) {
  const Error error = error_of([] {
    fail({Fault::usage, Code::unknown_option, "did you mean 'base'?"}, "unknown option '{}'", "bsae");
  });
  EXPECT_EQ(error.fault(), Fault::usage);
  EXPECT_EQ(error.code(), Code::unknown_option);
  EXPECT_EQ(error.hint(), "did you mean 'base'?");
  EXPECT_EQ(error.message(), "unknown option 'bsae'");
  EXPECT_STREQ(error.what(), "unknown option 'bsae'; did you mean 'base'?");
  EXPECT_EQ(error.values(), Values{"bsae"});
}

TEST(Error, AtAddsThePlaceAndKeepsTheRest) {
  const Error inner = error_of([] { fail({Fault::data, Code::bad_shape, "clone() it"}, "got {}", 3); });
  const Error error = inner.at("matmul").at("layer 2");
  EXPECT_STREQ(error.what(), "layer 2: matmul: got 3; clone() it");
  EXPECT_EQ(error.fault(), Fault::data);
  EXPECT_EQ(error.code(), Code::bad_shape);
  EXPECT_EQ(error.hint(), "clone() it");
  EXPECT_EQ(error.values(), Values{"3"});
}

TEST(Error, WithHintReplacesTheHintAndKeepsTheRest) {
  const Error inner = error_of([] {
    fail({Fault::io, Code::missing_file, "old hint"}, "no file '{}'", "a");
  });
  const Error error = inner.with_hint("new hint");
  EXPECT_STREQ(error.what(), "no file 'a'; new hint");
  EXPECT_EQ(error.hint(), "new hint");
  EXPECT_EQ(error.fault(), Fault::io);
  EXPECT_EQ(error.code(), Code::missing_file);
  EXPECT_EQ(error.values(), Values{"a"});
  EXPECT_STREQ(inner.with_hint("").what(), "no file 'a'");
  EXPECT_STREQ(inner.what(), "no file 'a'; old hint") << "the original does not change";
}

TEST(Error, BracesInValuesAreNotFormatted) {
  const Error error = error_of([] { fail(Fault::data, "got '{}'", "{} {x}"); });
  EXPECT_STREQ(error.at("{place}").what(), "{place}: got '{} {x}'");
  EXPECT_EQ(error.values(), Values{"{} {x}"});
}

TEST(Error, CodesHaveDistinctNames) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(Code::graph_freed);
  for (int code = 0; code <= last; ++code) {
    const std::string_view name = name_of(static_cast<Code>(code));
    EXPECT_FALSE(name.empty()) << code;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(name_of(Code::none), "none");
  EXPECT_EQ(name_of(Code::graph_freed), "graph_freed");
}

// The program exits with these numbers, and scripts rely on them.
TEST(Error, FaultsAreTheExitCodes) {
  EXPECT_EQ(static_cast<int>(Fault::bug), 1);
  EXPECT_EQ(static_cast<int>(Fault::usage), 2);
  EXPECT_EQ(static_cast<int>(Fault::data), 3);
  EXPECT_EQ(static_cast<int>(Fault::io), 4);
  EXPECT_EQ(static_cast<int>(Fault::resource), 5);
  EXPECT_EQ(static_cast<int>(Fault::diverged), 6);
  EXPECT_EQ(static_cast<int>(Fault::peer), 7);
}

}  // namespace
}  // namespace locus
