// Runs that are killed, or run out of disk space, at any moment and are then resumed. They must end with
// exactly the bytes of an uninterrupted run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "locus/base/file.h"
#include "locus/base/random.h"
#include "locus/run/manifest.h"
#include "tests/temporary_folder.h"
#include "tests/train/run_result.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The words of the command: the emulator if there is one, the program, its arguments.
std::vector<std::string> words_of(const std::string& arguments) {
  std::vector<std::string> words;
  std::istringstream stream(LOCUS_TRAINEE " " + arguments);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

pid_t start(const std::string& arguments) {
  std::vector<std::string> words = words_of(arguments);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  EXPECT_EQ(posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

// The exit code, or the negative signal number.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int run(const fs::path& folder, const std::string& more) {
  return wait_for(start(folder.string() + " " + more));
}

// Everything without the suffix .part is complete, and `last` exists once there is a second checkpoint.
void expect_whole(const fs::path& folder) {
  int64_t complete = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "steps")) {
    if (entry.path().extension() == ".part") continue;
    ++complete;
    EXPECT_NO_THROW(verify_manifest(entry.path())) << entry.path();
  }
  EXPECT_TRUE(complete <= 1 || fs::exists(folder / "last"));
  for (const char* link : {"last", "best"}) {
    if (!fs::exists(fs::symlink_status(folder / link))) continue;
    EXPECT_NO_THROW(verify_manifest(folder / link)) << link;
  }
}

void expect_no_debris(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
}

// Kills a run of 200 steps at a random moment up to `longest` after its start and resumes it, 25 times or
// until it completes. It must end as `expected`. Returns the number of kills.
int killed_on_the_way(std::chrono::microseconds longest, const std::string& expected) {
  const TemporaryFolder folder(in_memory());
  const Random random(20251115, 1);
  int killed = 0;
  for (uint64_t i = 0; i < 25; ++i) {
    const pid_t process = start(fmt::format("{} 200 {}", folder.path().string(), 1 + i % 3));
    const auto moment = random.below(i, static_cast<uint32_t>(longest.count()) + 1);
    std::this_thread::sleep_for(std::chrono::microseconds(moment));
    ::kill(process, SIGKILL);
    if (wait_for(process) != -SIGKILL) break;
    ++killed;
    if (fs::exists(folder / "steps")) expect_whole(folder.path());
  }
  EXPECT_EQ(run(folder.path(), "200 2"), 0);
  EXPECT_EQ(result_of(folder.path()), expected);
  expect_no_debris(folder.path());
  return killed;
}

// `longest` is first a quarter of a whole run, so that most kills hit it during training and the last near
// its end. It is halved until ten kills have hit a run, because run times on a busy machine may differ by a
// factor of 100.
TEST(InterruptedRunSlow, KilledAtRandomMomentsEndsWithTheSameBits) {
  const TemporaryFolder straight(in_memory());
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(run(straight.path(), "200 1"), 0);
  const auto whole = std::chrono::steady_clock::now() - began;
  auto longest = std::chrono::duration_cast<std::chrono::microseconds>(whole / 4);
  while (killed_on_the_way(longest, result_of(straight.path())) < 10 && !HasFailure()) longest /= 2;
}

// Kills a run of 7 steps at a write, sync, rename, link or removal. Only every second operation, for speed:
// all saves of a run make the same calls, and the second save begins after an odd number of them.
TEST(InterruptedRunSlow, KilledAtAFileOperationEndsWithTheSameBits) {
  const TemporaryFolder straight(in_memory());
  ASSERT_EQ(run(straight.path(), "7 1"), 0);
  const std::string expected = result_of(straight.path());
  int operations = 1, ended = -SIGKILL;
  for (; ended == -SIGKILL && operations < 1000; operations += 2) {
    SCOPED_TRACE(operations);
    const TemporaryFolder broken(in_memory());
    ended = run(broken.path(), fmt::format("7 1 kill {}", operations));
    expect_whole(broken.path());
    ASSERT_EQ(run(broken.path(), "7 1"), 0);
    ASSERT_EQ(result_of(broken.path()), expected);
    expect_no_debris(broken.path());
  }
  EXPECT_EQ(ended, 0);
  EXPECT_GT(operations, 50);
}

// Continues a run of 5 steps up to 9, in its folder or in another one, and kills it at a file operation.
void expect_continued_with_the_same_bits(bool in_place) {
  const TemporaryFolder begun(in_memory()), straight(in_memory());
  ASSERT_EQ(run(begun.path(), "5 1"), 0);
  const auto copy = [&](const fs::path& to) {
    if (in_place) fs::copy(begun.path(), to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  };
  const std::string steps = in_place ? "9+" : "9+" + begun.path().string();
  copy(straight.path());
  ASSERT_EQ(run(straight.path(), steps + " 1"), 0);
  const std::string expected = result_of(straight.path());
  int operations = 1, ended = -SIGKILL;
  for (; ended == -SIGKILL && operations < 1000; operations += 3) {
    SCOPED_TRACE(operations);
    const TemporaryFolder broken(in_memory());
    copy(broken.path());
    ended = run(broken.path(), fmt::format("{} 1 kill {}", steps, operations));
    expect_whole(broken.path());
    ASSERT_EQ(run(broken.path(), steps + " 2"), 0);
    ASSERT_EQ(result_of(broken.path()), expected);
    expect_no_debris(broken.path());
  }
  EXPECT_EQ(ended, 0);
  EXPECT_GT(operations, 30);
  EXPECT_EQ(run(straight.path(), "9 1"), 0) << "from now on it has the new configuration";
  EXPECT_EQ(run(straight.path(), "5 1"), 2);
}

TEST(InterruptedRunSlow, ContinuedInItsFolderEndsWithTheSameBits) {
  expect_continued_with_the_same_bits(true);
}

TEST(InterruptedRunSlow, ContinuedInANewFolderEndsWithTheSameBits) {
  expect_continued_with_the_same_bits(false);
}

TEST(InterruptedRunSlow, AFullDiskAtAnyMomentIsAnErrorAndLeavesNothingHalfDone) {
  const TemporaryFolder straight(in_memory());
  ASSERT_EQ(run(straight.path(), "7 1"), 0);
  const std::string expected = result_of(straight.path());
  int operations = 1, ended = 4;
  for (; ended == 4 && operations < 1000; operations += 5) {
    SCOPED_TRACE(operations);
    const TemporaryFolder broken(in_memory());
    ended = run(broken.path(), fmt::format("7 1 fail {}", operations));
    expect_whole(broken.path());
    ASSERT_EQ(run(broken.path(), "7 1"), 0);
    ASSERT_EQ(result_of(broken.path()), expected);
  }
  EXPECT_EQ(ended, 0);
  EXPECT_GT(operations, 50);
}

TEST(InterruptedRunSlow, ASecondRunInTheSameFolderIsAnError) {
  const TemporaryFolder folder(in_memory());
  const pid_t first = start(folder.path().string() + " 100000 1");
  while (!fs::exists(folder / "last")) std::this_thread::yield();
  EXPECT_EQ(run(folder.path(), "100000 1"), 4);
  ::kill(first, SIGKILL);
  EXPECT_EQ(wait_for(first), -SIGKILL);
  EXPECT_EQ(run(folder.path(), "5 1"), 2)
      << "the lock is gone with the process; only the configuration differs";
}

}  // namespace
}  // namespace locus
