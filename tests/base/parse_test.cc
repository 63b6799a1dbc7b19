#include "locus/base/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace locus {
namespace {

TEST(Parse, ReadsAWholeText) {
  EXPECT_EQ(parse<int64_t>("-17"), -17);
  EXPECT_EQ(parse<uint8_t>("fF", 16), 255);
  EXPECT_EQ(parse<double>("1e-3"), 1e-3);
}

TEST(Parse, FindsNothingInWhatIsMoreOrLessThanANumber) {
  for (const char* text : {"", " ", " 1", "1 ", "+1", "1x", "0x1", "1,5"}) {
    EXPECT_FALSE(parse<int64_t>(text)) << text;
    EXPECT_FALSE(parse<double>(text)) << text;
  }
  EXPECT_FALSE(parse<int64_t>("1.0"));
}

TEST(Parse, FindsNothingBeyondTheNumbersOfTheType) {
  EXPECT_FALSE(parse<uint8_t>("256"));
  EXPECT_FALSE(parse<uint8_t>("-1"));
  EXPECT_FALSE(parse<int64_t>("9223372036854775808"));
  for (const char* text : {"1e999", "inf", "-infinity", "nan"}) EXPECT_FALSE(parse<double>(text)) << text;
}

}  // namespace
}  // namespace locus
