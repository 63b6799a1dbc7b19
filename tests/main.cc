// The test program: locus_tests [filter]. A plain word runs the tests whose name contains it; the flags of
// Google Test work as well. With LOCUS_QUICK set, slow tests run only if the filter names them. The last line
// of output has the counts. Running no test is a failure.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// Tests that kill programs, run the documentation, train presets, open a browser or measure time.
constexpr const char* kSlow = "Interrupted*:*Book*:Presets*:Browser*:*Doubling*:Examples*";

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
  const std::string name = argc == 2 ? argv[1] : "";
  const bool quick =
      std::getenv("LOCUS_QUICK") != nullptr && std::string(kSlow).find(name) == std::string::npos;
  if (argc == 2) GTEST_FLAG_SET(filter, "*" + name + "*" + (quick ? std::string("-") + kSlow : ""));
  // RapidCheck uses the same cases every time, unless RC_PARAMS is set, so that a failure can be reproduced.
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
