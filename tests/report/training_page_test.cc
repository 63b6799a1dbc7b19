#include "locus/report/training_page.h"

#include <gtest/gtest.h>

#include "tests/report/well_formed.h"

namespace locus::report {
namespace {

TEST(TrainingPage, ShowsTheCurvesAndStaysSmall) {
  Metrics metrics;
  for (int64_t step = 1; step <= 10'000; ++step) {
    metrics.steps.push_back({.step = step,
                             .loss = 2.0 / static_cast<double>(step),
                             .rate = 0.001,
                             .norm = 1,
                             .tokens = 8,
                             .seconds = 0.5});
  }
  metrics.validations = {{.step = 5000, .loss = 0.25}, {.step = 10'000, .loss = 0.5}};
  const std::string page = training_page("A run & more", metrics);
  EXPECT_NE(page.find("A run &amp; more"), std::string::npos);
  EXPECT_NE(
      page.find(
          "After 10000 steps the training loss is 0.0002; the best validation loss is 0.25, at step 5000."),
      std::string::npos);
  EXPECT_NE(page.find("80000"), std::string::npos);
  EXPECT_NE(page.find("16 tokens/s"), std::string::npos);
  for (const char* title : {"Loss", "Learning rate", "Norm of the gradient", "validation"}) {
    EXPECT_NE(page.find(title), std::string::npos) << title;
  }
  EXPECT_EQ(not_well_formed(page), "");
  EXPECT_LT(page.size(), 100'000u);
}

TEST(TrainingPage, OfARunThatHasNotBegun) {
  EXPECT_NE(training_page("run", {}).find("No step has been taken yet."), std::string::npos);
}

}  // namespace
}  // namespace locus::report
