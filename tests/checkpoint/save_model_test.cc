// Writing model folders. family_test.cc checks that the weights stay the same.
#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST(SaveModel, WritesAtomicallyAndNeverOverAnExistingFolder) {
  const FolderOf folder("bert");
  const ModelFolder opened = open_model(folder.path());
  for (const std::string name : {"new", "other/", "deep/er"}) {
    save_model(opened, folder / name);
    EXPECT_NO_THROW(open_model(folder / name)) << name;
    EXPECT_FALSE(fs::exists(folder / "new.part"));
    std::string path = (folder / name).string();
    if (path.ends_with('/')) path.pop_back();
    expect_error(Fault::usage, Code::output_exists, {path.c_str()},
                 [&] { save_model(opened, folder / name); });
  }
  fs::remove(folder / "config.json");
  expect_error(Fault::io, {"config.json"}, [&] { save_model(opened, folder / "broken"); });
  EXPECT_FALSE(fs::exists(folder / "broken"));
}

}  // namespace
}  // namespace locus
