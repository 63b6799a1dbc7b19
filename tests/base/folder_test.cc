#include "locus/base/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "locus/base/paths.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST(WriteFolder, IsAtomic) {
  const TemporaryFolder folder;
  expect_error(Fault::data, {"no more"}, [&] {
    write_folder(folder / "a", [](const fs::path& unfinished) {
      write_file(unfinished / "first", "x");
      fail(Fault::data, "no more");
    });
  });
  EXPECT_TRUE(entries_of(folder.path()).empty());
  write_folder(folder / "a/", [](const fs::path& unfinished) { write_file(unfinished / "first", "x"); });
  EXPECT_EQ(entries_of(folder / "a"), std::vector{folder / "a" / "first"});
  EXPECT_EQ(entries_of(folder.path()).size(), 1u);
}

TEST(WriteFolder, TakesNoOtherName) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a.part");
  fs::create_directories(folder / "real");
  fs::create_directory_symlink("real", folder / "link");
  const auto write = [](const fs::path& unfinished) { write_file(unfinished / "first", "x"); };
  write_folder(folder / "a", write);
  write_folder(folder / "link", write);
  EXPECT_TRUE(is_folder(folder / "a.part"));
  EXPECT_TRUE(is_there(folder / "real" / "first"));
}

TEST(WriteFolder, ClearsWhatAKilledProcessLeftOfIt) {
  const TemporaryFolder folder;
  const std::string alive = fmt::format("a.{}.part", ::getppid());
  for (const std::string& name :
       {std::string("a.999999999.part"), alive, std::string("b.999999999.part"), std::string("a.x.part")}) {
    fs::create_directory(folder / name);
  }
  write_folder(folder / "a", [](const fs::path&) {});
  EXPECT_FALSE(is_there(folder / "a.999999999.part"));
  EXPECT_TRUE(is_there(folder / alive));
  EXPECT_TRUE(is_there(folder / "b.999999999.part"));
  EXPECT_TRUE(is_there(folder / "a.x.part"));
}

TEST(WriteFolder, MixesWithNothing) {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  expect_error(Fault::usage, Code::output_exists, {folder.path().c_str()},
               [&] { write_folder(folder.path(), [](const fs::path&) {}); });
  expect_error(Fault::usage, Code::output_exists, {(folder / "file").c_str()},
               [&] { write_folder(folder / "file", [](const fs::path&) {}); });
}

TEST(RequireFree, AnEmptyFolderIsFree) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(require_free(folder / "new"));
  EXPECT_NO_THROW(require_free(folder.path()));
  write_file(folder / "file", "x");
  expect_error(Fault::usage, Code::output_exists, {folder.path().c_str()},
               [&] { require_free(folder.path()); });
  expect_error(Fault::usage, Code::output_exists, {(folder / "file").c_str()},
               [&] { require_free(folder / "file"); });
}

}  // namespace
}  // namespace locus
