// The test program: locus_tests [NAME]. A plain word runs the tests whose name contains it; the flags of
// Google Test work as well. The last line of output has the counts. Running no test is a failure.
//
// A suite whose name ends in Slow is slow: its tests kill programs, run the documentation, train presets,
// open a browser or measure how time grows. With LOCUS_QUICK set, as ./run dev does, slow suites run only if
// NAME contains Slow, or if it matches no other test.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/temporary_folder.h"

namespace {

// Whether the name of a test that is not slow contains `name`.
bool matches_quick_test(const std::string& name) {
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *tests.GetTestSuite(s);
    const std::string suite_name = suite.name();
    if (suite_name.ends_with("Slow")) continue;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string full = suite_name + "." + suite.GetTestInfo(t)->name();
      if (full.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

std::string filter_of(const std::string& name) {
  const bool quick = std::getenv("LOCUS_QUICK") != nullptr && name.find("Slow") == std::string::npos;
  return "*" + name + "*" + (quick && matches_quick_test(name) ? "-*Slow.*" : "");
}

}  // namespace

int main(int argc, char** argv) {
  // Programs that tests start do not check for leaks, which takes seconds each under the address sanitizer.
  // This process checks once: it has already read its own options.
  const char* const options = std::getenv("ASAN_OPTIONS");
  ::setenv("ASAN_OPTIONS", (std::string(options ? options : "") + ":detect_leaks=0").c_str(), 1);
  GTEST_FLAG_SET(brief, true);  // failures only; --gtest_brief=0 shows every test
  testing::InitGoogleTest(&argc, argv);
  if (argc > 2) {
    std::fprintf(stderr, "locus_tests: unexpected argument '%s', expected at most one filter\n", argv[2]);
    return 2;
  }
  if (argc == 2) GTEST_FLAG_SET(filter, filter_of(argv[1]));
  // RapidCheck uses the same cases every time, unless RC_PARAMS is set, so that a failure can be reproduced.
  setenv("RC_PARAMS", "seed=20251115", /*overwrite=*/0);

  locus::remove_abandoned(std::filesystem::temp_directory_path());
  locus::remove_abandoned(locus::in_memory());
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (tests.test_to_run_count() == 0) {
    std::fprintf(stderr, "locus_tests: no test's name contains '%s'\n", argc == 2 ? argv[1] : "");
  }
  std::printf("%d passed, %d failed, %d skipped\n", tests.successful_test_count(), tests.failed_test_count(),
              tests.skipped_test_count());
  return failed != 0 || tests.test_to_run_count() == 0 ? 1 : 0;
}
