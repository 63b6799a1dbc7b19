#include "locus/base/quote.h"

#include <gtest/gtest.h>

namespace locus {
namespace {

TEST(Quote, PlainTextStaysAsItIs) {
  EXPECT_EQ(quote("").text(), "''");
  EXPECT_EQ(quote("layer.0.weight é").text(), "'layer.0.weight é'");
}

TEST(Quote, ControlBytesAreWrittenOut) {
  EXPECT_EQ(quote(std::string_view("a\0\n\x1b[2J\x7f", 8)).text(), "'a\\x00\\x0a\\x1b[2J\\x7f'");
}

TEST(Quote, SoAreControlsOfTwoBytesInUtf8) {
  EXPECT_EQ(quote("a\u009b2J\u0080\u00a0é\u00df").text(), "'a\\xc2\\x9b2J\\xc2\\x80\u00a0é\u00df'");
  EXPECT_EQ(quote("\xc2").text(), "'\xc2'");
}

TEST(WithoutControls, KeepsWhatItIsAskedTo) {
  EXPECT_EQ(without_controls("a\n\tb\r", "\n"), "a\n\\x09b\\x0d");
}

TEST(Quote, LongTextIsCut) {
  EXPECT_EQ(quote(std::string(80, 'n')).text(), "'" + std::string(80, 'n') + "'");
  EXPECT_EQ(quote(std::string(81, 'n')).text(), "'" + std::string(80, 'n') + "'... (81 bytes)");
  // A character of several bytes is not split.
  EXPECT_EQ(quote(std::string(79, 'n') + "éé").text(), "'" + std::string(79, 'n') + "'... (83 bytes)");
}

TEST(Quote, IsFormattedAsItsText) {
  EXPECT_EQ(fmt::format("{} and {}", quote("a"), quote("\n")), "'a' and '\\x0a'");
}

}  // namespace
}  // namespace locus
