#include "locus/train/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace locus {
namespace {

using Curve = Schedule::Shape;

std::vector<double> rates(Schedule schedule, int64_t count) {
  std::vector<double> result;
  for (int64_t step = 1; step <= count; ++step) result.push_back(schedule.at(step));
  return result;
}

TEST(Schedule, Shapes) {
  Schedule schedule{.rate = 8, .floor = 0.5, .warmup = 2, .steps = 6};
  schedule.shape = Curve::constant;
  EXPECT_EQ(rates(schedule, 7), (std::vector<double>{4, 8, 8, 8, 8, 8, 8}));
  schedule.shape = Curve::linear;
  EXPECT_EQ(rates(schedule, 8), (std::vector<double>{4, 8, 8, 7, 6, 5, 4, 4}));
  schedule.shape = Curve::stable_decay;
  schedule.decay = 2;
  EXPECT_EQ(rates(schedule, 8), (std::vector<double>{4, 8, 8, 8, 8, 6, 4, 4}));
  schedule.shape = Curve::cosine;
  const std::vector<double> cosine = rates(schedule, 8);
  EXPECT_EQ(cosine[2], 8);
  EXPECT_DOUBLE_EQ(cosine[4], 6);  // half way between rate and floor
  EXPECT_EQ(cosine[7], 4);
}

RC_GTEST_PROP(Schedule, StaysInItsBoundsAndOnlyFallsAfterTheWarmup, ()) {
  const Schedule schedule{
      .shape = *rc::gen::element(Curve::constant, Curve::linear, Curve::cosine, Curve::stable_decay),
      .rate = 3,
      .floor = *rc::gen::element(0.0, 0.25, 1.0),
      .warmup = *rc::gen::inRange<int64_t>(0, 30),
      .steps = *rc::gen::inRange<int64_t>(1, 30),
      .decay = *rc::gen::inRange<int64_t>(0, 30)};
  double before = 3;
  for (int64_t step = 1; step <= schedule.steps; ++step) {
    const double rate = schedule.at(step);
    RC_ASSERT(rate > 0 && rate <= 3);
    if (step > schedule.warmup) {
      RC_ASSERT(rate <= before);
      before = rate;
    }
  }
}

}  // namespace
}  // namespace locus
