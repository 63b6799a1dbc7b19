// locus train on several processes: options, launchers, signals and errors.
#include <gtest/gtest.h>

#include "tests/cli/train_command.h"
#include "tests/dist/rank_job.h"
#include "tests/train/run_result.h"

namespace locus {
namespace {

using dist::RankJob;

class RanksOfTrain : public TrainCommand {
 protected:
  // The command of a rank. All have one thread, as more would wait for each other.
  std::string rank_command(const std::string& place, const std::string& more = "") const {
    return fmt::format("LOCUS_THREADS=1 {} train {} --out {} --set train.shards=4 --set train.steps=30 {}",
                       LOCUS_PROGRAM, quoted("run.toml"), quoted(place), more);
  }
  std::string result(const std::string& place) const { return result_of(folder / place); }
};

TEST_F(RanksOfTrain, WriteTheFilesOfOneProcess) {
  for (const int ranks : {1, 3}) {
    RankJob job(ranks, [&](int) { return rank_command(std::to_string(ranks), "--verbose"); });
    job.expect_all_end_with(0);
    EXPECT_TRUE(contains(job.output(0), "30 steps done")) << job.output(0);
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(contains(job.output(0), fmt::format("rank {} of {} sent", rank, ranks)), true);
      if (rank > 0) {
        EXPECT_EQ(job.output(rank), "") << "only rank 0 prints";
      }
    }
  }
  EXPECT_TRUE(result("3") == result("1"));
}

TEST_F(RanksOfTrain, FindTheirRankInOptions) {
  const std::string master = fmt::format("127.0.0.1:{}", dist::free_port());
  RankJob job(2, [&](int rank) {
    return fmt::format("env -u RANK -u WORLD_SIZE -u MASTER_ADDR -u MASTER_PORT {}",
                       rank_command("out", fmt::format("--rank {} --ranks 2 --master {}", rank, master)));
  });
  job.expect_all_end_with(0);
}

// The run is saved, and resumes with another number of processes.
TEST_F(RanksOfTrain, SaveAndStopAtASignal) {
  {
    RankJob whole(1, [&](int) { return rank_command("whole", "--set train.steps=300"); });
    whole.expect_all_end_with(0);
  }
  {
    RankJob job(3, [&](int) { return rank_command("out", "--set train.steps=300"); });
    for (int i = 0; i < 4000 && !contains(job.output(0), "validation"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    job.signal(1, SIGTERM);
    job.expect_all_end_with(128 + SIGTERM);
    expect_values(job.output(0), {"stopped", "saved"});
  }
  RankJob job(2, [&](int) { return rank_command("out", "--set train.steps=300"); });
  job.expect_all_end_with(0);
  EXPECT_TRUE(result("out") == result("whole"));
}

TEST_F(RanksOfTrain, EndIfOneIsKilledOrHangs) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    RankJob job(3, [&](int) { return rank_command("out", "--set train.steps=1000000 --peer-timeout 2"); });
    for (int i = 0; i < 4000 && !contains(job.output(0), "validation"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    job.signal(2, signal);
    for (const int rank : {0, 1}) job.expect_named(rank, 2);
    job.signal(2, SIGKILL);
    std::filesystem::remove_all(folder / "out");
  }
}

// Every rank ends with the exit code of Fault::peer, and names rank 1, the setting and both values.
TEST_F(RanksOfTrain, RefuseAnotherConfiguration) {
  RankJob job(
      2, [&](int rank) { return rank_command("out", rank == 1 ? "--set train.learning_rate=0.5" : ""); });
  for (const int rank : {0, 1}) {
    job.expect_named(rank, 1);
    expect_values(job.output(rank), {"train.learning_rate", "0.5", "0.02"});
  }
}

TEST_F(RanksOfTrain, RefuseOtherData) {
  put(folder / "other.txt", std::string(480, 'x'));
  RankJob job(2, [&](int rank) {
    return rank_command("out", rank == 1 ? "--set data.train=" + quoted("other.txt") : "");
  });
  for (const int rank : {0, 1}) {
    job.expect_named(rank, 1);
    expect_values(job.output(rank), {"training-data.txt"});
  }
}

// An error on one rank ends the others, which name it.
TEST_F(RanksOfTrain, NameTheRankWithAnError) {
  RankJob job(2,
              [&](int rank) { return rank_command("out", rank == 1 ? "--set data.train=missing.txt" : ""); });
  EXPECT_EQ(job.exit_code(1), static_cast<int>(Fault::io)) << job.output(1);
  job.expect_named(0, 1);
  expect_values(job.output(0), {"missing.txt"});
  expect_values(job.output(1), {"rank 1"});
}

TEST_F(RanksOfTrain, AreCheckedBeforeTheyConnect) {
  const std::string two = command("--set train.shards=2 --rank 0 --ranks 2 ");
  expect_program_fault(2, command("--rank 0"), {"rank"});
  expect_program_fault(2, command("--rank 2 --ranks 2"), {"2", "0 to 1"});
  expect_program_fault(2, two, {"MASTER_ADDR"});
  expect_program_fault(2, two + "--dist none", {"options", "2"});
  expect_program_fault(2, two + "--dist tpc", {"tpc", "tcp"});
  expect_program_fault(2, two + "--master node7", {"node7", "HOST:PORT"});
  expect_program_fault(2, two + "--master fe80::1:80", {"fe80::1:80", "HOST:PORT"});
  expect_program_fault(2, two + "--master a:70000", {"70000"});
  expect_program_fault(2, two + "--peer-timeout 0", {"0", "1"});
  expect_program_fault(2, command("--rank 0 --ranks 2"), {"3", "1"}, "RANK=1 WORLD_SIZE=3");
}

TEST_F(RanksOfTrain, AreAtMostTheShards) {
  RankJob job(2, [&](int) { return rank_command("out", "--set train.shards=1"); });
  job.expect_all_end_with(static_cast<int>(Fault::usage));
  expect_values(job.output(0), {"train.shards", "1", "2"});
}

}  // namespace
}  // namespace locus
