// Ranks as processes, which are killed and stopped.
#include <gtest/gtest.h>

#include "tests/dist/rank_job.h"

namespace locus::dist {
namespace {

using std::chrono::milliseconds;

struct Job : RankJob {
  Job(int size, const std::string& arguments, const std::function<std::string(int rank)>& own = {})
      : RankJob(size, [&](int rank) {
          return fmt::format(LOCUS_EXCHANGER " tcp {} {}", arguments, own ? own(rank) : "");
        }) {}
};

TEST(RankProcessesSlow, ExchangeMessages) {
  for (const int size : {1, 2, 4, 8}) {
    Job job(size, "3 1000");
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(job.exit_code(rank), 0) << job.output(rank);
      EXPECT_EQ(job.output(rank), fmt::format("connected\nrank {} of {}: 3 rounds\n", rank, size));
    }
  }
}

TEST(RankProcessesSlow, NameOneThatWasKilledAtAnyMessage) {
  for (int message = 1; message <= 9; ++message) {  // two rounds, all_gather, the token and the barrier
    Job job(3, "2 1000", [=](int rank) { return rank == 1 ? fmt::format("--kill {}", message) : ""; });
    EXPECT_EQ(job.exit_code(1), -SIGKILL) << job.output(1);
    for (const int rank : {0, 2}) job.expect_named(rank, 1);
  }
}

// Kills in the middle of large messages.
TEST(RankProcessesSlow, NameOneThatWasKilledAtAnyMoment) {
  for (int i = 0; i < 6; ++i) {
    Job job(3, "1000 1000000");
    for (int rank = 0; rank < 3; ++rank) job.wait_for_output(rank);
    std::this_thread::sleep_for(milliseconds(10 + 37 * i));
    const int culprit = i % 3;
    job.signal(culprit, SIGKILL);
    for (int rank = 0; rank < 3; ++rank) {
      if (rank != culprit) job.expect_named(rank, culprit);
    }
  }
}

TEST(RankProcessesSlow, NameOneThatWasStopped) {
  Job job(3, "2 1000 --timeout 6000", [](int rank) { return rank == 2 ? "--stop 3" : ""; });
  for (const int rank : {0, 1}) job.expect_named(rank, 2);
  expect_values(job.output(0), {"silent", "6"});
  job.signal(2, SIGCONT);  // it learns that the others gave up
  EXPECT_EQ(job.exit_code(2), static_cast<int>(Fault::peer)) << job.output(2);
}

}  // namespace
}  // namespace locus::dist
