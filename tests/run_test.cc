// The script ./run, in a folder with a fake cmake and a fake ninja that write down how they are called.
#include <gtest/gtest.h>

#include <cstdlib>

#include "locus/base/file.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class RunScript : public ::testing::Test {
 protected:
  RunScript() {
    const fs::path root = fs::path(LOCUS_GOLDEN) / "../..";
    for (const char* folder : {"tools", "bin", "build/release"}) fs::create_directories(clone / folder);
    fs::copy(root / "run", clone / "run");
    fs::copy(root / "tools/progress.awk", clone / "tools/progress.awk");
    put(clone / "tools/packages.txt", "");
    put(clone / "CMakePresets.json", "{}");
    put(clone / "build/release/configured", "");
    fs::last_write_time(clone / "CMakePresets.json",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    program("bin/cmake", "echo cmake \"$@\" >> \"$CALLS\"");
    program("bin/ninja", "echo ninja \"$@\" >> \"$CALLS\"");
    program("build/release/locus", "echo ran");
  }
  void built_in(const fs::path& home) const {
    put(clone / "build/release/CMakeCache.txt",
        "X:INTERNAL=1\nCMAKE_HOME_DIRECTORY:INTERNAL=" + home.string() + "\n");
  }
  // Runs the script, and returns its messages followed by the calls.
  std::string run() const {
    const std::string place = clone.path().string();
    const std::string command = "cd / && CALLS=" + place + "/calls PATH=" + place + "/bin:$PATH " + place +
                                "/run doctor > " + place + "/out 2> " + place + "/err";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(clone / "err");
    EXPECT_EQ(read_file(clone / "out"), "ran\n");
    return read_file(clone / "err") + read_file(clone / "calls");
  }

  const TemporaryFolder clone;

 private:
  void program(const char* name, const std::string& body) const {
    put(clone / name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(clone / name, fs::perms::owner_all);
  }
};

TEST_F(RunScript, BuildsWithoutConfiguringAgain) {
  built_in(fs::canonical(clone.path()));
  EXPECT_EQ(run().find("cmake"), std::string::npos);
}

TEST_F(RunScript, ConfiguresAMovedCloneFromScratch) {
  built_in("/elsewhere/locus");
  const std::string text = run();
  EXPECT_NE(text.find("build/release belongs to /elsewhere/locus"), std::string::npos) << text;
  EXPECT_NE(text.find("cmake --fresh --preset release"), std::string::npos) << text;
  EXPECT_TRUE(fs::exists(clone / "build/release/configured"));
}

TEST_F(RunScript, ConfiguresANewCloneOnce) {
  fs::remove(clone / "build/release/configured");
  EXPECT_NE(run().find("cmake --preset release"), std::string::npos);
}

}  // namespace
}  // namespace locus
