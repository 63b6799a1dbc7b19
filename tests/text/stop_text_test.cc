#include "locus/text/stop_text.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(StopText, HoldsBackAPossibleStopString) {
  StopText text({"END", "\n\n"});
  EXPECT_EQ(text.add("the E"), "the ");
  EXPECT_EQ(text.add("N"), "");
  EXPECT_EQ(text.add("T\n"), "ENT");
  EXPECT_EQ(text.add("x"), "\nx");
  EXPECT_FALSE(text.stopped());
  EXPECT_EQ(text.add(" yE"), " y");
  EXPECT_EQ(text.add("ND more"), "");
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(text.text(), "the ENT\nx y");
}

TEST(StopText, TheFirstStopStringCounts) {
  StopText text({"c", "ab"});
  EXPECT_EQ(text.add("xabc"), "x");
  EXPECT_TRUE(text.stopped());
}

TEST(StopText, StopEndsAfterTheShownText) {
  StopText text({"END"});
  EXPECT_EQ(text.add("the E"), "the ");
  text.stop();
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(text.finish(), "");
  EXPECT_EQ(text.text(), "the ");
}

TEST(StopText, AnEmptyStopStringIsAnError) {
  expect_error(Fault::usage, {"stop string"}, [] { StopText({"a", ""}); });
}

TEST(StopText, HoldsBackIncompleteCharacters) {
  StopText text({});
  EXPECT_EQ(text.add("a\xc3"), "a");
  EXPECT_EQ(text.add("\xa4"), "\xc3\xa4");
  EXPECT_EQ(text.add("\xf0\x9f\x98"), "");
  EXPECT_EQ(text.finish(), "\xf0\x9f\x98") << "the end of the text";
  EXPECT_EQ(text.add("\x80\x80\x80\x80"), "\x80\x80\x80\x80") << "bytes that begin no character";
}

}  // namespace
}  // namespace locus
