// A model folder that is written. That its numbers stay is family_test.cc's subject.
#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST(SaveModel, WritesAFolderWholeOrNotAtAllAndOverNoOther) {
  const FolderOf folder("bert");
  const ModelFolder opened = open_model(folder.path());
  for (const std::string name : {"new", "other/", "deep/er"}) {
    save_model(opened, folder / name);
    EXPECT_NO_THROW(open_model(folder / name)) << name;
    EXPECT_FALSE(fs::exists(folder / "new.part"));
    expect_error(Fault::usage, {"is there already, and would mix with what is written"},
                 [&] { save_model(opened, folder / name); });
  }
  fs::remove(folder / "config.json");
  expect_error(Fault::io, {"config.json"}, [&] { save_model(opened, folder / "broken"); });
  EXPECT_FALSE(fs::exists(folder / "broken"));
}

}  // namespace
}  // namespace locus
