// Runs on several processes, of which one is killed or stopped at any moment. The others end and name it, and
// the run that is resumed with another number of processes ends with the bytes of an undisturbed one.
#include <gtest/gtest.h>

#include "tests/dist/rank_job.h"
#include "tests/train/run_result.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using dist::RankJob;

constexpr const char* kTrainee = "TRAINEE_SHARDS=8 " LOCUS_TRAINEE;

// The command of a rank that trains 7 steps, with 1 to 3 threads.
std::string trainee(const fs::path& folder, int rank, const std::string& more = "") {
  return fmt::format("{} {} 7 {} {}", kTrainee, folder.string(), 1 + rank % 3, more);
}

void expect_trained(int ranks, const fs::path& folder) {
  RankJob job(ranks, [&](int rank) { return trainee(folder, rank); });
  job.expect_all_end_with(0);
}

std::string undisturbed(int ranks = 1) {
  const TemporaryFolder folder(in_memory());
  expect_trained(ranks, folder.path());
  return result_of(folder.path());
}

TEST(RankTrainingProcesses, GiveTheSameBytes) {
  const std::string expected = undisturbed();
  for (const int ranks : {2, 3, 4, 8}) EXPECT_TRUE(undisturbed(ranks) == expected) << ranks << " processes";
}

// Rank 0 answers for the folder, so its kills leave checkpoints at every stage.
TEST(RankTrainingProcessesSlow, ResumeAfterAKillAtAnyMessage) {
  const std::string expected = undisturbed();
  int kills = 0;
  for (int message = 1; message < 1000; message += 3) {
    const int ranks = 2 + message % 3, culprit = message % ranks;
    SCOPED_TRACE(fmt::format("rank {} of {} at message {}", culprit, ranks, message));
    const TemporaryFolder folder(in_memory());
    {
      RankJob job(ranks, [&](int rank) {
        return trainee(folder.path(), rank, rank == culprit ? fmt::format("message {}", message) : "");
      });
      const int code = job.exit_code(culprit);
      if (code == 0) break;  // it sends fewer messages
      ++kills;
      ASSERT_EQ(code, -SIGKILL) << job.output(culprit);
      for (int rank = 0; rank < ranks; ++rank) {
        if (rank != culprit) job.expect_named(rank, culprit);
      }
    }
    expect_trained(1 + message % 5, folder.path());
    ASSERT_TRUE(result_of(folder.path()) == expected);
  }
  EXPECT_GT(kills, 20);
}

TEST(RankTrainingProcessesSlow, ResumeAfterAKillOfRankZeroAtAnyFileOperation) {
  const std::string expected = undisturbed();
  for (int operation = 1; operation < 1000; operation += 11) {
    SCOPED_TRACE(operation);
    const TemporaryFolder folder(in_memory());
    {
      RankJob job(2, [&](int rank) {
        return trainee(folder.path(), rank, rank == 0 ? fmt::format("kill {}", operation) : "");
      });
      if (job.exit_code(0) == 0) break;
      job.expect_named(1, 0);
    }
    expect_trained(1 + operation % 3, folder.path());
    ASSERT_TRUE(result_of(folder.path()) == expected);
  }
}

// A full disk is an error of rank 0, which the others name.
TEST(RankTrainingProcesses, NameTheRankWithAFullDisk) {
  const TemporaryFolder folder(in_memory());
  RankJob job(3, [&](int rank) { return trainee(folder.path(), rank, rank == 0 ? "fail 30" : ""); });
  EXPECT_EQ(job.exit_code(0), static_cast<int>(Fault::io)) << job.output(0);
  for (const int rank : {1, 2}) job.expect_named(rank, 0);
}

TEST(RankTrainingProcesses, NameARankThatHangs) {
  const TemporaryFolder folder(in_memory());
  RankJob job(3, [&](int) { return fmt::format("{} {} 100000 1", kTrainee, folder.path().string()); });
  for (int rank = 0; rank < 3; ++rank) job.wait_for_output(rank);
  job.signal(1, SIGSTOP);
  for (const int rank : {0, 2}) job.expect_named(rank, 1);
  expect_values(job.output(0), {"silent", "3"});
  job.signal(1, SIGCONT);
  EXPECT_EQ(job.exit_code(1), static_cast<int>(Fault::peer)) << job.output(1);
}

}  // namespace
}  // namespace locus
