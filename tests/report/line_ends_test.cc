#include "locus/report/line_ends.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

namespace locus::report {
namespace {

using Places = std::vector<double>;

TEST(LineEnds, PlacesWithEnoughRoomStay) {
  EXPECT_EQ(spaced({50, 10, 30}, 16, 0, 100), (Places{50, 10, 30}));
  EXPECT_EQ(spaced({}, 16, 0, 100), Places{});
}

TEST(LineEnds, NeighborsMoveEquallyFar) {
  EXPECT_EQ(spaced({50, 50}, 16, 0, 100), (Places{42, 58}));
  EXPECT_EQ(spaced({50, 54, 90}, 16, 0, 100), (Places{44, 60, 90}));
}

TEST(LineEnds, EdgesAreLimits) {
  EXPECT_EQ(spaced({-5, 0}, 16, 0, 100), (Places{0, 16}));
  EXPECT_EQ(spaced({100, 99, 120}, 16, 0, 100), (Places{84, 68, 100}));
  EXPECT_EQ(spaced({1, 2, 3}, 16, 0, 20), (Places{0, 10, 20}));  // no room for the full gap
}

TEST(LineEnds, AnyPlacesAreSpacedInTheirOrder) {
  EXPECT_TRUE(rc::check([] {
    Places wanted;
    for (const int place : *rc::gen::nonEmpty<std::vector<int>>()) wanted.push_back(place % 300);
    const double gap = std::min(16.0, 200.0 / static_cast<double>(wanted.size()));
    const Places found = spaced(wanted, gap, 0, 200);
    std::vector<size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return wanted[i]; });
    for (size_t i = 0; i < order.size(); ++i) {
      RC_ASSERT(found[order[i]] >= 0 && found[order[i]] <= 200 + 1e-9);  // sums of means round
      if (i > 0) RC_ASSERT(found[order[i]] - found[order[i - 1]] >= gap - 1e-9);
    }
  }));
}

}  // namespace
}  // namespace locus::report
