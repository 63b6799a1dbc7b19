#include "locus/base/permutation.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<int64_t> order(int64_t size, uint64_t seed, uint64_t stream) {
  const Permutation permutation(size, seed, stream);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < size; ++i) result.push_back(permutation(i));
  return result;
}

TEST(Permutation, EveryNumberOnce) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<int64_t>(0, 600);
    const auto numbers = order(size, *rc::gen::arbitrary<uint64_t>(), *rc::gen::arbitrary<uint64_t>());
    const std::set<int64_t> different(numbers.begin(), numbers.end());
    RC_ASSERT(different.size() == numbers.size());
    for (const int64_t number : numbers) RC_ASSERT(number >= 0 && number < size);
  }));
}

TEST(Permutation, SeedAndStreamMatter) {
  EXPECT_EQ(order(100, 1, 2), order(100, 1, 2));
  EXPECT_NE(order(100, 1, 2), order(100, 1, 3));
  EXPECT_NE(order(100, 1, 2), order(100, 2, 2));
  EXPECT_NE(order(100, 1, 2), order(100, uint64_t{1} << 32 | 1, 2));
}

// The image of 0 in many streams is uniform. With 20 images and 20000 streams each one occurs 1000 times,
// with a standard deviation of 31; six of those are 186.
TEST(Permutation, NoPlaceIsPreferred) {
  std::vector<int> hits(20);
  for (uint64_t stream = 0; stream < 20'000; ++stream) ++hits[Permutation(20, 7, stream)(0)];
  for (const int count : hits) EXPECT_NEAR(count, 1000, 186);
}

TEST(Permutation, LargeSizes) {
  for (const int64_t size : {int64_t{1} << 40, (int64_t{1} << 40) + 1, INT64_MAX}) {
    const Permutation permutation(size, 3, 0);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 200; ++i) seen.insert(permutation(i));
    for (int64_t i = 0; i < 200; ++i) seen.insert(permutation(size - 1 - i));
    EXPECT_EQ(seen.size(), 400u);
    EXPECT_GE(*seen.begin(), 0);
    EXPECT_LT(*seen.rbegin(), size);
  }
}

TEST(Permutation, IndicesOutside) {
  expect_error(Fault::data, {"permutation", "index", "3", "0", "2"}, [] { Permutation(3, 0, 0)(3); });
  expect_error(Fault::data, {"permutation", "size", "-1", "0"}, [] { Permutation(-1, 0, 0); });
}

}  // namespace
}  // namespace locus
