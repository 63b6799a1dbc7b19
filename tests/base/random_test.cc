#include "locus/base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace locus {
namespace {

// From kat_vectors of Random123 (Salmon et al.), the lines "philox4x32 10".
TEST(Random, PublishedKnownAnswers) {
  constexpr uint32_t kOnes = 0xffffffffu;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// All 64 bits of seed, stream and index matter: index and stream are the counter, the seed is the key.
TEST(Random, ValueIsAFunctionOfSeedStreamAndIndex) {
  const Random random(0x299f31d0a4093822u, 0x0370734413198a2eu);
  EXPECT_EQ(random.block(0x85a308d3243f6a88u), (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  std::set<uint32_t> firsts;
  for (const uint64_t one : {uint64_t{1}, uint64_t{1} << 32, uint64_t{1} << 60}) {
    firsts.insert(Random(one, 0).bits(0));
    firsts.insert(Random(0, one).bits(0));
    firsts.insert(Random(0, 0).bits(4 * one));
  }
  EXPECT_EQ(firsts.size(), 9u);
}

TEST(Random, BlocksHoldFourValues) {
  const Random random(7, 3);
  for (uint64_t index = 0; index < 40; ++index) {
    EXPECT_EQ(random.bits(index), random.block(index / 4)[index % 4]);
  }
}

TEST(Random, WordsHoldTwoHalves) {
  const Random random(7, 3);
  for (uint64_t index = 0; index < 40; ++index) {
    EXPECT_EQ(random.bits(index), random.half(2 * index) | random.half(2 * index + 1) << 16);
  }
}

// The mean of n = 2^16 values has a standard deviation of sigma / 256. Five times that occurs for one in two
// million seeds, and the seed is fixed.
constexpr int kCount = 1 << 16;

TEST(Random, UniformIsUniform) {
  const Random random(1, 2);
  double sum = 0, square = 0;
  std::array<int, 16> bins{};
  for (int i = 0; i < kCount; ++i) {
    const float x = random.uniform(static_cast<uint64_t>(i));
    ASSERT_GE(x, 0.0f);
    ASSERT_LT(x, 1.0f);
    sum += x;
    square += double{x} * x;
    ++bins[static_cast<size_t>(x * 16)];
  }
  EXPECT_NEAR(sum / kCount, 0.5, 5 * 0.2887 / 256);                  // sigma of x: 1/sqrt(12)
  EXPECT_NEAR(square / kCount, 1.0 / 3, 5 * 0.2981 / 256);           // sigma of x^2: sqrt(4/45)
  for (const int bin : bins) EXPECT_NEAR(bin, kCount / 16, 5 * 62);  // sigma sqrt(65536 * 1/16 * 15/16)
}

TEST(Random, NormalIsNormal) {
  const Random random(1, 2);
  double sum = 0, square = 0, fourth = 0, neighbors = 0, last = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal(static_cast<uint64_t>(i));
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
    neighbors += x * last;
    last = x;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * 1.0 / 256);
  EXPECT_NEAR(square / kCount, 1, 5 * 1.4142 / 256);  // the variance of x^2 is 2
  EXPECT_NEAR(fourth / kCount, 3, 5 * 9.798 / 256);   // the variance of x^4 is 96
  EXPECT_NEAR(neighbors / kCount, 0, 5 * 1.0 / 256);
}

RC_GTEST_PROP(Random, BelowStaysBelow, (uint64_t seed, uint64_t index)) {
  const auto n = *rc::gen::inRange<uint32_t>(1, 0xffffffffu);
  RC_ASSERT(Random(seed, 0).below(index, n) < n);
}

}  // namespace
}  // namespace locus
