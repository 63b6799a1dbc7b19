// Ranks as processes, which are killed and stopped.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "locus/base/file.h"
#include "tests/dist/ranks.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus::dist {
namespace {

using std::chrono::milliseconds;

// Starts the ranks of a job, and ends those that are left.
class Job {
 public:
  Job(int size, const std::string& arguments, const std::function<std::string(int rank)>& own = {}) {
    const int port = free_port();
    for (int rank = 0; rank < size; ++rank) {
      const std::string command =
          fmt::format("exec env RANK={} WORLD_SIZE={} MASTER_ADDR=127.0.0.1 MASTER_PORT={} " LOCUS_EXCHANGER
                      " tcp {} {} >{} 2>&1",
                      rank, size, port, arguments, own ? own(rank) : "", output_of(rank).string());
      const pid_t child = ::fork();
      if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
      }
      children_.push_back(child);
    }
  }
  ~Job() {
    for (const pid_t child : children_) {
      if (child > 0) ::kill(child, SIGKILL), ::waitpid(child, nullptr, 0);
    }
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void signal(int rank, int number) { ::kill(children_[rank], number); }

  // The exit code of a rank, or minus the signal that ended it. It fails the test if the rank does not end.
  int exit_code(int rank) {
    constexpr int kPatience = 60'000;  // milliseconds
    for (int waited = 0; waited < kPatience; waited += 5) {
      int status = 0;
      if (::waitpid(children_[rank], &status, WNOHANG) != 0) {
        children_[rank] = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    ADD_FAILURE() << "rank " << rank << " hangs";
    return -1;
  }
  std::string output(int rank) {
    return std::filesystem::exists(output_of(rank)) ? read_file(output_of(rank)) : "";
  }
  void wait_for_output(int rank) {
    for (int i = 0; i < 4000 && output(rank).empty(); ++i) std::this_thread::sleep_for(milliseconds(5));
  }

  // The rank ends with the exit code of Fault::peer, and names the rank that failed.
  void expect_named(int rank, int culprit) {
    EXPECT_EQ(exit_code(rank), static_cast<int>(Fault::peer)) << output(rank);
    expect_values(output(rank), {fmt::format("rank {}", culprit)});
  }

 private:
  std::filesystem::path output_of(int rank) const { return folder_ / std::to_string(rank); }
  TemporaryFolder folder_{in_memory()};
  std::vector<pid_t> children_;
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
