// Clocks that stop or jump: no command hangs, divides by zero, or prints times that are not numbers.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "locus/base/file.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

class Clocks : public TrainCommand, public ::testing::WithParamInterface<const char*> {
 protected:
  // Returns the output on both streams.
  std::string run_with_clock(const std::string& arguments) const {
    const std::string said = (folder / "said").string();
    const std::string command =
        fmt::format("LOCUS_CLOCK={} ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 {} {} >'{}' 2>&1", GetParam(),
                    LOCUS_FAULTY, arguments, said);
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(said);
    return read_file(said);
  }
};
INSTANTIATE_TEST_SUITE_P(That, Clocks, ::testing::Values("stops", "jumps"),
                         [](const auto& test) { return std::string(test.param); });

void expect_numbers(const std::string& said) {
  for (const char* const word : {"nan", "inf ", "-1 s", "-9223372036854775808"})
    EXPECT_FALSE(contains(said, word)) << said;
}

TEST_P(Clocks, DoNotDisturbTraining) {
  expect_numbers(run_with_clock(command("--set train.steps=4")));
  const std::string metrics = read_file(folder / "out/metrics.jsonl");
  EXPECT_EQ(std::ranges::count(metrics, '\n'), 5) << "4 steps and a validation";
  expect_numbers(metrics);
}

TEST_P(Clocks, DoNotDisturbAStudyWithABudget) {
  expect_numbers(
      run_with_clock("compare --schemes none --tasks back --seeds 1 --steps 2 --length 16 --lengths 24 "
                     "--budget 5m --out " +
                     out()));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/report.html"));
}

TEST_P(Clocks, DoNotDisturbTheProgressOfTexts) {
  put(folder / "lines.txt", "a dog\na cat\n");
  expect_numbers(run_with_clock(fmt::format("embed {}/apply/embed --file {} --out {}", LOCUS_GOLDEN,
                                            quoted("lines.txt"), quoted("v.npy"))));
}

}  // namespace
}  // namespace locus
