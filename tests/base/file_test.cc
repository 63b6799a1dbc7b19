#include "locus/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

size_t files_in(const TemporaryFolder& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(File, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string text("line\nNUL \0 and \xff bytes", 21);
  write_file(folder / "a", text);
  EXPECT_EQ(read_file(folder / "a"), text);
  write_file(folder / "a", "");
  EXPECT_EQ(read_file(folder / "a"), "");
  EXPECT_EQ(files_in(folder), 1u);
}

RC_GTEST_PROP(File, AnyBytesInAnyPieces, (const std::vector<std::string>& pieces)) {
  const TemporaryFolder folder;
  std::string whole;
  AtomicFile file(folder / "a");
  for (const std::string& piece : pieces) {
    file.write(piece);
    whole += piece;
  }
  file.commit();
  RC_ASSERT(read_file(folder / "a") == whole);
}

TEST(File, RefusesToReadWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing", itself = folder.path(), pipe = folder / "pipe";
  expect_error(Fault::io, Code::missing_file, {missing.c_str(), "No such file or directory"},
               [&] { read_file(missing); });
  expect_error(Fault::io, Code::none, {itself.c_str(), "regular file"}, [&] { read_file(itself); });
  expect_error(Fault::io, Code::none, {"'/dev/zero'", "regular file"}, [] { read_file("/dev/zero"); });
  // A plain open() of a pipe without a writer would wait forever.
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(Fault::io, Code::none, {pipe.c_str(), "regular file"}, [&] { read_file(pipe); });
}

TEST(File, RefusesMoreThanTheLimit) {
  const TemporaryFolder folder;
  write_file(folder / "a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5).size(), 5u);
  const std::string file = folder / "a";
  expect_error(Fault::data, {file.c_str(), "5", "4"}, [&] { read_file(file, 4); });
}

TEST(InputFile, ReadsAtAnyOffset) {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789");
  InputFile opened(folder / "a");
  const InputFile file(std::move(opened));
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.path(), folder / "a");
  std::string part(3, ' ');
  file.read_at(5, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, "567");
}

TEST(InputFile, NamesTheByteWhereTheFileEnds) {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789");
  const InputFile file(folder / "a");
  std::filesystem::resize_file(folder / "a", 7);
  std::string part(5, ' ');
  expect_error(Fault::data, Code::damaged_file, {file.path().c_str(), "7", "10"},
               [&] { file.read_at(5, std::as_writable_bytes(std::span(part))); });
}

TEST(AtomicFile, AppearsOnlyOnCommit) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new");
    EXPECT_EQ(read_file(folder / "a"), "old");
    file.commit();
    EXPECT_EQ(read_file(folder / "a"), "new");
  }
  {
    AtomicFile forgotten(folder / "a");
    forgotten.write("never seen");
  }
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(files_in(folder), 1u) << "a half-written file was not removed";
}

// A killed process cannot clean up.
TEST(AtomicFile, HasNoNameBeforeCommit) {
  const TemporaryFolder folder;
  const Descriptor probe(::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600));
  if (probe.get() < 0) GTEST_SKIP() << "this file system has no unnamed files";
  AtomicFile file(folder / "a");
  file.write("half of");
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(AtomicFile, TwoWritersDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a"), second(folder / "a");
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(read_file(folder / "a"), "second");
  first.commit();
  EXPECT_EQ(read_file(folder / "a"), "first");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicFile, IsReadableAsAnyOtherFile) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "a", "x");
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

// Writing may fail in the middle, as on a full disk. A limit on the file size has the same effect.
TEST(AtomicFile, FailureLeavesTheOldFileAndNoDebris) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  expect_error(Fault::io, {(folder / "a").c_str(), "File too large"},
               [&] { write_file(folder / "a", std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicFile, RefusesPlacesItCannotWrite) {
  const TemporaryFolder folder;
  expect_error(Fault::io, Code::missing_file, {(folder / "no" / "a").c_str(), "No such file or directory"},
               [&] { write_file(folder / "no" / "a", "x"); });
  std::filesystem::create_directory(folder / "folder");
  expect_error(Fault::io, {(folder / "folder").c_str(), "regular file"},
               [&] { write_file(folder / "folder", "x"); });
  EXPECT_EQ(files_in(folder), 1u);
}

// Renaming a file over a device would replace the device, for the whole machine if root does it.
TEST(AtomicFile, NeverReplacesADevice) {
  for (const char* device : {"/dev/full", "/dev/null"}) {
    expect_error(Fault::io, {device, "regular file"}, [&] { write_file(device, "x"); });
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
}

}  // namespace
}  // namespace locus
