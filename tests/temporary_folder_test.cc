// The folders of tests disappear, also if a test is killed.
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolders, AreRemovedWithReadOnlyFolders) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directories(folder / "a/b");
    put(folder / "a/b/x", "x");
    fs::permissions(folder / "a/b", fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_exec);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolders, OfAKilledProcessAreRemovedByTheNextOne) {
  const TemporaryFolder place;
  const TemporaryFolder alive(place.path());
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder(place.path());
    put(folder / "x", "x");
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto count = [&] { return std::distance(fs::directory_iterator(place.path()), {}); };
  ASSERT_EQ(count(), 2);
  remove_abandoned(place.path());
  EXPECT_EQ(count(), 2) << "a new folder may belong to a process that has not locked it yet";
  for (const auto& entry : fs::directory_iterator(place.path())) {
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  remove_abandoned(place.path());
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(fs::exists(alive.path()));
}

}  // namespace
}  // namespace locus
