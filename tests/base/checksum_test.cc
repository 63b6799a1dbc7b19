#include "locus/base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace locus {
namespace {

// Values from the reference implementation (xxHash 0.8, seed 0).
TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum(""), 0xEF46DB3751D8E999u);
  EXPECT_EQ(checksum("a"), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(checksum("abc"), 0x44BC2CF5AD770999u);
  EXPECT_EQ(checksum("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1u);
}

TEST(Checksum, SeesEveryBitOfEveryLength) {
  std::string text;
  for (int i = 0; i < 75; ++i) text += static_cast<char>(37 * i);
  for (size_t length = 1; length <= text.size(); ++length) {
    std::string damaged = text.substr(0, length);
    const uint64_t whole = checksum(damaged);
    for (size_t bit = 0; bit < 8 * length; ++bit) {
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      EXPECT_NE(checksum(damaged), whole) << "bit " << bit << " of " << length << " bytes";
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
  }
}

}  // namespace
}  // namespace locus
