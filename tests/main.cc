// The test program: locus_tests [filter]. A plain word runs the tests whose name contains it; Google Test's
// own flags work as well. It closes with one line of counts, and to run nothing is a failure.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  // Programs that tests start do not look for leaks: under the address sanitizer that takes seconds each.
  // This process looks once, and has read its options already.
  const char* const options = std::getenv("ASAN_OPTIONS");
  ::setenv("ASAN_OPTIONS", (std::string(options ? options : "") + ":detect_leaks=0").c_str(), 1);
  GTEST_FLAG_SET(brief, true);  // failures only; --gtest_brief=0 shows every test
  testing::InitGoogleTest(&argc, argv);
  if (argc > 2) {
    std::fprintf(stderr, "locus_tests: unexpected '%s', expected one filter at most\n", argv[2]);
    return 2;
  }
  if (argc == 2) GTEST_FLAG_SET(filter, "*" + std::string(argv[1]) + "*");
  // RapidCheck draws the same cases each time unless told otherwise: a red run can be run again.
  setenv("RC_PARAMS", "seed=20251115", /*overwrite=*/0);

  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (tests.test_to_run_count() == 0) {
    std::fprintf(stderr, "locus_tests: no test's name contains '%s'\n", argc == 2 ? argv[1] : "");
  }
  std::printf("%d passed, %d failed, %d skipped\n", tests.successful_test_count(), tests.failed_test_count(),
              tests.skipped_test_count());
  return failed != 0 || tests.test_to_run_count() == 0 ? 1 : 0;
}
