// Studies cut to a time, and held against the memory there is.
#include <gtest/gtest.h>

#include "locus/study/budget.h"
#include "locus/study/memory.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"

namespace locus::study {
namespace {

Study two_tasks() {
  Study study = tiny();
  study.tasks = "language, back";
  study.conditions.steps = 100;
  return study;
}

// A step of all schemes takes a second, a test of them ten.
const std::vector<Pace> kPaces = {{1, 10}, {1, 10}};

TEST(Budget, TakesStepsFirstThenSeedsThenTasks) {
  const auto chosen = [](double seconds) {
    const Study study = fitted(two_tasks(), kPaces, seconds);
    EXPECT_LE(expected_seconds(study, kPaces), seconds);
    return fmt::format("{} / {} / {}", study.tasks, study.seeds, study.conditions.steps);
  };
  EXPECT_EQ(chosen(1e6), "language, back / 2 / 100");
  EXPECT_EQ(chosen(440), "language, back / 2 / 100");  // 2 seeds of 2 tasks of 100 + 10
  EXPECT_EQ(chosen(439), "language, back / 2 / 99");
  EXPECT_EQ(chosen(240), "language, back / 2 / 50");
  EXPECT_EQ(chosen(239), "language, back / 1 / 100");
  EXPECT_EQ(chosen(120), "language, back / 1 / 50");
  EXPECT_EQ(chosen(119), "language / 1 / 100");
  EXPECT_EQ(chosen(60), "language / 1 / 50");
  expect_error(Fault::usage,
               {"59 s, is too short", "one seed of language at 50 steps takes about 60 s here",
                "Give more time, or compare fewer schemes"},
               [] { fitted(two_tasks(), kPaces, 59); });
}

TEST(Budget, CountsTheStepsOfTasksThatAreLearnedLate) {
  Study study = two_tasks();
  study.tasks = "copy";
  EXPECT_DOUBLE_EQ(expected_seconds(study, {{1, 10}}), 2 * (3 * 100 + 10));
}

TEST(Budget, PacesAreTimedOnThisMachine) {
  const std::vector<Pace> seen = paces(two_tasks(), 1e9);
  ASSERT_EQ(seen.size(), 2u);
  for (const Pace& pace : seen) {
    EXPECT_GT(pace.step, 0);
    EXPECT_GT(pace.test, 0);
    EXPECT_LT(pace.step, 10);
  }
}

TEST(Memory, GrowsWithTheLengthAndWithItsSquareWherePairsAreStored) {
  const auto bytes = [](const char* scheme, const char* lengths) {
    Study study = tiny();
    study.schemes = scheme;
    study.conditions.lengths = lengths;
    return static_cast<double>(largest_need(study).bytes);
  };
  EXPECT_NEAR(bytes("none", "20000") / bytes("none", "10000"), 2, 0.1);
  EXPECT_NEAR(bytes("fire", "20000") / bytes("fire", "10000"), 4, 0.2);
}

TEST(Memory, TooLittleIsRefusedWithTheSizeAndWhatToLower) {
  Study study = tiny();
  study.schemes = "rotary, fire";
  study.conditions.lengths = "1000000";
  expect_error(Fault::resource,
               {"testing fire on a text of 1000000 tokens needs about ", " GB, and 8.0 GB are free",
                "lower the longest of lengths, or leave the scheme out"},
               [&] { require_memory(study, 8'000'000'000); });
  study.schemes = "rotary";
  require_memory(study, 8'000'000'000);
  study.conditions = tiny().conditions;
  study.conditions.batch_size = 65536;
  study.conditions.length = 4096;
  expect_error(Fault::resource, {"a training step of rotary on 65536 texts of 4096 tokens", "lower batch"},
               [&] { require_memory(study, 8'000'000'000); });
  require_memory(tiny(), 1);  // so small that it is not measured
}

}  // namespace
}  // namespace locus::study
