#include "locus/report/axis.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "tests/expect_error.h"

namespace locus::report {
namespace {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.label);
  return result;
}

using Labels = std::vector<std::string>;

TEST(Axis, TicksAreRound) {
  EXPECT_EQ(labels(axis_over(0, 1, 6)), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(axis_over(-127, 127, 5)), (Labels{"\u2212100", "0", "100"}));
  EXPECT_EQ(labels(axis_over(0.33, 1.0000001, 5)), (Labels{"0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(axis_over(0, 32768, 4)), (Labels{"0", "20000"}));
  EXPECT_EQ(labels(axis_over(0, 4e6, 3)), (Labels{"0", "2e+06", "4e+06"}));
}

TEST(Axis, StepsCanBeKeptFromBeingTooSmall) {
  EXPECT_EQ(labels(axis_over(0, 2, 6)), (Labels{"0.0", "0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(labels(axis_over(0, 2, 6, false, 1)), (Labels{"0", "1", "2"}));
}

TEST(Axis, TicksOfALogarithmicAxis) {
  EXPECT_EQ(labels(axis_over(3.4, 15.6, 8, true)), (Labels{"4", "5", "6", "7", "8", "9", "10"}));
  EXPECT_EQ(labels(axis_over(3.4, 3.9, 6, true)), (Labels{"3.4", "3.5", "3.6", "3.7", "3.8", "3.9"}));
  EXPECT_EQ(labels(axis_over(8, 120, 6, true)), (Labels{"10", "20", "50", "100"}));
  EXPECT_EQ(labels(axis_over(0.01, 1000, 6, true)), (Labels{"0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(labels(axis_over(1, 1e8, 5, true)), (Labels{"1", "100", "10000", "1e+06", "1e+08"}));
  EXPECT_DOUBLE_EQ(axis_over(1, 100, 5, true).at(10), 0.5);
}

TEST(Axis, OneValueGetsRoom) {
  const Axis axis = axis_over(1, 1, 5);
  EXPECT_LT(axis.low, 1);
  EXPECT_GT(axis.high, 1);
  EXPECT_GT(axis.ticks.size(), 1u);
  EXPECT_GT(axis_over(0, 0, 5).high, 0);
  EXPECT_LT(axis_over(4, 4, 5, true).at(4), 1);
}

TEST(Axis, EveryRangeHasFewTicksInside) {
  EXPECT_TRUE(rc::check([] {
    const double low = *rc::gen::inRange(-1000000, 1000000) / 1024.0;
    const double high = low + *rc::gen::inRange(1, 1000000) / 1024.0;
    const int most = *rc::gen::inRange(2, 12);
    const Axis axis = axis_over(low, high, most);
    RC_ASSERT(static_cast<int>(axis.ticks.size()) <= most);
    for (const Tick& tick : axis.ticks) {
      RC_ASSERT(axis.at(tick.value) > -1e-4);
      RC_ASSERT(axis.at(tick.value) < 1 + 1e-4);
    }
  }));
}

TEST(Axis, RefusesWhatHasNoPlace) {
  expect_error(Fault::data, {"axis", "0"},
               [] { axis_over(0, 1, 5, true); });
  expect_error(Fault::data, {"axis", "0", "inf"},
               [] { axis_over(0, std::numeric_limits<double>::infinity(), 5); });
}

}  // namespace
}  // namespace locus::report
