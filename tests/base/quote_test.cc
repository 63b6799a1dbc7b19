#include "locus/base/quote.h"

#include <gtest/gtest.h>

namespace locus {
namespace {

TEST(Quote, PlainTextStaysAsItIs) {
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("layer.0.weight é"), "'layer.0.weight é'");
}

TEST(Quote, ControlBytesAreWrittenOut) {
  EXPECT_EQ(quote(std::string_view("a\0\n\x1b[2J\x7f", 8)), "'a\\x00\\x0a\\x1b[2J\\x7f'");
}

TEST(Quote, LongTextIsCut) {
  EXPECT_EQ(quote(std::string(80, 'n')), "'" + std::string(80, 'n') + "'");
  EXPECT_EQ(quote(std::string(81, 'n')), "'" + std::string(80, 'n') + "'... (81 bytes)");
  // Not inside a character of several bytes.
  EXPECT_EQ(quote(std::string(79, 'n') + "éé"), "'" + std::string(79, 'n') + "'... (83 bytes)");
}

}  // namespace
}  // namespace locus
