#include "locus/dist/owners.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/expect_error.h"

namespace locus::dist {
namespace {

TEST(Owners, TakeTheLargestFirst) {
  EXPECT_EQ(owners_of(std::vector<int64_t>{3, 9, 3, 3}, 2), (std::vector<int>{1, 0, 1, 1}));
  EXPECT_EQ(owners_of(std::vector<int64_t>{5, 5, 5}, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(owners_of(std::vector<int64_t>{1, 2}, 1), (std::vector<int>{0, 0}));
  EXPECT_TRUE(owners_of({}, 4).empty());
}

RC_GTEST_PROP(Owners, SharesAreEven, ()) {
  const auto sizes = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 1000));
  const int ranks = *rc::gen::inRange(1, 9);
  const std::vector<int> owners = owners_of(sizes, ranks);
  std::vector<int64_t> shares(static_cast<size_t>(ranks));
  for (size_t i = 0; i < sizes.size(); ++i) shares.at(static_cast<size_t>(owners[i])) += sizes[i];
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  const int64_t largest = sizes.empty() ? 0 : std::ranges::max(sizes);
  RC_ASSERT(std::ranges::max(shares) <= total / ranks + largest);
}

TEST(Owners, RefuseWhatIsNoSize) {
  expect_error(Fault::data, {"0"}, [] { owners_of({}, 0); });
  expect_error(Fault::data, {"item 1", "-2"}, [] { owners_of(std::vector<int64_t>{1, -2}, 2); });
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  expect_error(Fault::data, {"overflows"}, [] { owners_of(std::vector<int64_t>{kMost, 1}, 1); });
}

}  // namespace
}  // namespace locus::dist
