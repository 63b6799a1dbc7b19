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
  for (const char* value : {"10000 steps", "0.0002", "0.25", "step 5000", "80000", "16 tokens/s"}) {
    EXPECT_NE(page.find(value), std::string::npos) << value;
  }
  for (const char* title : {"Loss", "Learning rate", "Gradient norm", "validation"}) {
    EXPECT_NE(page.find(title), std::string::npos) << title;
  }
  EXPECT_EQ(not_well_formed(page), "");
  EXPECT_LT(page.size(), 100'000u);
}

TEST(TrainingPage, ASpikeOfTheGradientNormNeedsALogarithmicAxis) {
  const auto page = [](double spike) {
    Metrics metrics;
    for (int64_t step = 1; step <= 20; ++step) {
      metrics.steps.push_back({.step = step, .loss = 1, .rate = 0.1, .norm = step == 9 ? spike : 1});
    }
    return training_page("run", metrics);
  };
  EXPECT_EQ(page(5).find("Logarithmic"), std::string::npos);
  EXPECT_NE(page(50).find("Logarithmic"), std::string::npos);
}

TEST(TrainingPage, OfARunThatHasNotStarted) {
  const std::string page = training_page("run", {});
  EXPECT_EQ(not_well_formed(page), "");
  EXPECT_EQ(page.find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace locus::report
