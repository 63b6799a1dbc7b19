// The ranks of a job as processes, which a test can kill and stop.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "locus/base/file.h"
#include "tests/dist/ranks.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus::dist {

// Starts the ranks, and ends those that are left. Every rank prints to a file of its own.
class RankJob {
 public:
  // `command` is that of a rank, as shell words. The environment says which rank it is, as torchrun does.
  RankJob(int size, const std::function<std::string(int rank)>& command) {
    const int port = free_port();
    for (int rank = 0; rank < size; ++rank) {
      const std::string line = fmt::format(
          "exec env RANK={} WORLD_SIZE={} MASTER_ADDR=127.0.0.1 MASTER_PORT={} {} >{} 2>&1 </dev/null", rank,
          size, port, command(rank), output_of(rank).string());
      const pid_t child = ::fork();
      if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        ::_exit(127);
      }
      children_.push_back(child);
    }
  }
  ~RankJob() {
    for (const pid_t child : children_) {
      if (child > 0) ::kill(child, SIGKILL), ::waitpid(child, nullptr, 0);
    }
  }
  RankJob(const RankJob&) = delete;
  RankJob& operator=(const RankJob&) = delete;

  int size() const { return static_cast<int>(children_.size()); }
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
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "rank " << rank << " hangs";
    return -1;
  }
  std::string output(int rank) {
    return std::filesystem::exists(output_of(rank)) ? read_file(output_of(rank)) : "";
  }
  void wait_for_output(int rank) {
    for (int i = 0; i < 4000 && output(rank).empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void expect_all_end_with(int code) {
    for (int rank = 0; rank < size(); ++rank) {
      EXPECT_EQ(exit_code(rank), code) << "rank " << rank << ": " << output(rank);
    }
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

}  // namespace locus::dist
