// Limits of a study: its time budget and its memory.
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

// One step of all schemes takes a second, one test of all ten.
const std::vector<Pace> kPaces = {{1, 10}, {1, 10}};

TEST(Budget, ReducesStepsThenSeedsThenTasks) {
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
  expect_error(Fault::usage, {"59 s", "60 s", "language", "50"}, [] { fitted(two_tasks(), kPaces, 59); });
}

TEST(Budget, CountsTheExtraStepsOfSlowTasks) {
  Study study = two_tasks();
  study.tasks = "copy";
  EXPECT_DOUBLE_EQ(expected_seconds(study, {{1, 10}}), 2 * (3 * 100 + 10));
}

TEST(Budget, PacesAreMeasured) {
  const std::vector<Pace> seen = paces(two_tasks(), 1e9);
  ASSERT_EQ(seen.size(), 2u);
  for (const Pace& pace : seen) {
    EXPECT_GT(pace.step, 0);
    EXPECT_GT(pace.test, 0);
    EXPECT_LT(pace.step, 10);
  }
}

TEST(Memory, GrowsWithTheLengthAndForPairsWithItsSquare) {
  const auto bytes = [](const char* scheme, const char* lengths) {
    Study study = tiny();
    study.schemes = scheme;
    study.conditions.lengths = lengths;
    return static_cast<double>(largest_need(study).bytes);
  };
  EXPECT_NEAR(bytes("none", "20000") / bytes("none", "10000"), 2, 0.1);
  EXPECT_NEAR(bytes("fire", "20000") / bytes("fire", "10000"), 4, 0.2);
}

TEST(Memory, TooLittleIsAnErrorWithTheSizeAndTheSettings) {
  Study study = tiny();
  study.schemes = "rotary, fire";
  study.conditions.lengths = "1000000";
  expect_error(Fault::resource, {"fire", "1000000", "8.0 GB", "lengths"},
               [&] { require_memory(study, 8'000'000'000); });
  study.schemes = "rotary";
  require_memory(study, 8'000'000'000);
  study.conditions = tiny().conditions;
  study.conditions.batch_size = 65536;
  study.conditions.length = 4096;
  study.conditions.lengths = "";
  expect_error(Fault::resource, {"rotary", "65536", "4096", "8.0 GB", "batch_size"},
               [&] { require_memory(study, 8'000'000'000); });
  require_memory(tiny(), 1);  // too small to be measured
}

}  // namespace
}  // namespace locus::study
