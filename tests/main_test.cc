// Which tests locus_tests selects (main.cc): the program lists its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string listed(const std::string& name, bool quick) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string command = std::string("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u LOCUS_QUICK ") +
                              (quick ? "LOCUS_QUICK=1 " : "") + LOCUS_TESTS " --gtest_list_tests " + name +
                              " > " + out;
  EXPECT_EQ(std::system(command.c_str()), 0) << name;
  return read_file(out);
}

TEST(TestSelection, SlowSuitesAreSkippedByQuickRunsOnly) {
  const std::string all = listed("Study", false), quick = listed("Study", true);
  EXPECT_TRUE(contains(all, "InterruptedStudySlow.")) << all;
  EXPECT_FALSE(contains(quick, "Slow.")) << quick;
  EXPECT_TRUE(contains(quick, "Study")) << quick;
}

TEST(TestSelection, SlowSuitesRunIfTheNameMatchesNothingElseOrSaysSlow) {
  EXPECT_TRUE(contains(listed("KeepsFinishedCellsAndResumes", true), "InterruptedStudySlow."));
  const std::string slow = listed("StudySlow", true);
  EXPECT_TRUE(contains(slow, "InterruptedStudySlow.")) << slow;
}

TEST(TestSelection, ATestOfASlowSuiteIsSlowByItsSuiteOnly) {
  // Only the suite ExamplesSlow has a test with this name.
  EXPECT_TRUE(contains(listed("OneScheme", true), "ExamplesSlow."));
  EXPECT_FALSE(contains(listed("e", true), "Slow."));
}

}  // namespace
}  // namespace locus
