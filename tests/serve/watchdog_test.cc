// The watchdog of the queue, with a clock of the test.
#include "locus/serve/watchdog.h"

#include <gtest/gtest.h>

namespace locus::serve {
namespace {

class WatchdogOfAQueue : public ::testing::Test {
 protected:
  using Work = Watchdog::Work;

  void wait(double seconds) {
    now_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  // Work that took so long, and ended.
  void work(Work work, double amount, double seconds) {
    dog_.begin(work, amount);
    wait(seconds);
    dog_.end();
  }
  // The same; returns after how many seconds it would have counted as hanging.
  double patience(Work work, double amount, double seconds) {
    dog_.begin(work, amount);
    const double allowed = dog_.allowed();
    wait(seconds);
    dog_.end();
    return allowed;
  }

  Clock::time_point now_ = Clock::time_point(std::chrono::hours(1));
  Watchdog dog_{30, [this] { return now_; }};
};

TEST_F(WatchdogOfAQueue, SleepsBetweenBatches) {
  EXPECT_EQ(dog_.busy_for(), 0);
  EXPECT_FALSE(dog_.hangs());
  work(Work::texts, 100, 1);
  wait(1e6);
  EXPECT_EQ(dog_.busy_for(), 0);
  EXPECT_FALSE(dog_.hangs());
}

TEST_F(WatchdogOfAQueue, BarksAfterTheLeastTimeIfBatchesAreFast) {
  work(Work::texts, 1000, 0.1);
  dog_.begin(Work::texts, 4000);
  wait(29.9);
  EXPECT_FALSE(dog_.hangs());
  wait(0.2);
  EXPECT_TRUE(dog_.hangs());
  EXPECT_NEAR(dog_.busy_for(), 30.1, 1e-6);
  dog_.end();
  EXPECT_FALSE(dog_.hangs());
}

TEST_F(WatchdogOfAQueue, WaitsTenTimesTheEstimateIfBatchesAreSlow) {
  work(Work::texts, 1000, 20);
  dog_.begin(Work::texts, 4000);  // about 80 s
  wait(799);
  EXPECT_FALSE(dog_.hangs());
  wait(2);
  EXPECT_TRUE(dog_.hangs());
}

TEST_F(WatchdogOfAQueue, TheFirstBatchOfAKindHasMoreTime) {
  work(Work::texts, 1000, 0.1);
  dog_.begin(Work::prompts, 1000);
  wait(299);
  EXPECT_FALSE(dog_.hangs());
  wait(2);
  EXPECT_TRUE(dog_.hangs());
}

TEST_F(WatchdogOfAQueue, ASlowerBatchCountsAtOnceAndIsForgottenSlowly) {
  work(Work::step, 1, 1);
  work(Work::step, 1, 10);
  EXPECT_NEAR(patience(Work::step, 1, 1), 100, 1e-3);
  EXPECT_NEAR(patience(Work::step, 1, 1), 91, 1e-3);
  for (int i = 0; i < 100; ++i) work(Work::step, 1, 1);
  EXPECT_NEAR(patience(Work::step, 1, 1), 30, 1e-3);
}

TEST_F(WatchdogOfAQueue, LongTextsCostTheirSquare) {
  EXPECT_DOUBLE_EQ(amount_of(0), 0);
  EXPECT_GT(amount_of(8192), 64 * amount_of(256));
  EXPECT_LT(32 * amount_of(128), 1.2 * 4096);
}

}  // namespace
}  // namespace locus::serve
