// Step times of the schemes of a study, measured in turns.
#include "locus/study/step_times.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

TEST(StepTimes, AreMeasuredOnceForTheSameSchemes) {
  const TemporaryFolder folder;
  const StepTimes first = step_times(tiny(), folder.path());
  ASSERT_EQ(first.size(), 3u);
  for (const auto& [word, seconds] : first) {
    EXPECT_GT(seconds, 0) << word;
    EXPECT_LT(seconds, 10) << word;
  }
  EXPECT_EQ(step_times(tiny(), folder.path()), first);
  Study more = tiny();
  more.schemes = "none, learned, t5, rotary:base=100";
  const StepTimes second = step_times(more, folder.path());
  EXPECT_EQ(second.size(), 4u);
  EXPECT_NE(second.at("none"), first.at("none")) << "all schemes are measured together";
}

TEST(StepTimes, ADamagedFileIsMeasuredAgain) {
  const TemporaryFolder folder;
  for (const char* text : {"", "scheme,seconds\nnone,1\nlearned,-1\nt5,2\n", "none\nlearned,1\nt5,1\n",
                           "none,1e-300\nlearned,1\nt5,2\n", "none,1\nlearned,1\nt5,1e300\n"}) {
    write_file(folder / "step_times.csv", text);
    const StepTimes times = step_times(tiny(), folder.path());
    EXPECT_EQ(times.size(), 3u) << text;
    EXPECT_LT(times.at("t5"), 0.9) << text;
  }
}

TEST(StepTimes, ReplaceThoseOfTheCells) {
  Summary summary;
  summary.costs = {{"none", 0, 5, 1}, {"t5", 4, 1, 1}};
  use_times(summary, {{"none", 2}, {"t5", 3}, {"other", 1}});
  EXPECT_EQ(summary.step_ratio("t5"), 1.5);
}

}  // namespace
}  // namespace locus::study
