#include "locus/base/paths.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST(Paths, QueriesWhatExists) {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  EXPECT_TRUE(is_there(folder / "file"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_there(folder / "none"));
  EXPECT_FALSE(is_there(folder / "file" / "below"));
}

TEST(Paths, ANameThatCannotBeAskedForIsAnErrorOfTheFileSystem) {
  const fs::path endless = std::string(300, 'a');
  expect_error(Fault::io, {"File name too long"}, [&] { is_there(endless); });
  expect_error(Fault::io, {"File name too long"}, [&] { is_folder(endless); });
  expect_error(Fault::io, {"File name too long"}, [&] { entries_of(endless); });
  expect_error(Fault::io, {"File name too long"}, [&] { remove_whole(endless); });
}

TEST(Paths, AbsoluteOnesHaveNoDots) { EXPECT_EQ(absolute_path("a/./b/../c"), fs::current_path() / "a/c"); }

TEST(Paths, DebrisGoesAndTheRestStays) {
  const TemporaryFolder folder;
  write_file(folder / "b", "x");
  write_file(folder / "a", "x");
  fs::create_directories(folder / "c.part" / "below");
  write_file(folder / "d.part", "x");
  clear_debris(folder.path());
  EXPECT_EQ(entries_of(folder.path()), (std::vector<fs::path>{folder / "a", folder / "b"}));
}

TEST(Paths, OnlyTheDebrisOfSomeNamesGoes) {
  const TemporaryFolder folder;
  for (const char* name : {"last.part", "page.html.12-0.part", "page.html", "thesis.part", "lasting.part"}) {
    write_file(folder / name, "x");
  }
  clear_debris(folder.path(), {"last", "page.html"});
  EXPECT_EQ(entries_of(folder.path()),
            (std::vector<fs::path>{folder / "lasting.part", folder / "page.html", folder / "thesis.part"}));
}

}  // namespace
}  // namespace locus
