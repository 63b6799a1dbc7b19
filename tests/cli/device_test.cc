// --device: where a model computes. A machine without a GPU gives one error, before any work.
#include <gtest/gtest.h>

#include "locus/tensor/cuda/driver.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

class DeviceOption : public TrainCommand {
 protected:
  void SetUp() override {
    if (cuda::find().problem.empty()) GTEST_SKIP() << "this machine has a GPU";
  }
  // Exit code 5, with a hint, and without output.
  static void expect_no_gpu(const std::string& arguments) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 5);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, "no GPU: ")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "; install the driver of an NVIDIA GPU, or compute on the CPU\n"));
  }
};

TEST_F(DeviceOption, WithoutAGpu) {
  for (const char* command :
       {"embed tests/golden/apply/embed x", "similarity tests/golden/apply/embed x y",
        "similarity tests/golden/apply/embed x --query y", "classify tests/golden/apply/classify x",
        "tag tests/golden/apply/tag x", "fill tests/golden/apply/fill '[MASK]'",
        "generate tests/golden/apply/write x", "translate tests/golden/apply/translate x"}) {
    expect_no_gpu(std::string(command) + " --device cuda");
  }
  expect_no_gpu("eval tests/golden/apply/write " + quoted("x.txt") + " --device cuda");
  expect_no_gpu("compare --device cuda --out " + quoted("study"));
  EXPECT_FALSE(std::filesystem::exists(folder / "study"));
  expect_no_gpu(command("--set train.device=cuda"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  expect_fine("embed tests/golden/apply/embed x --device cpu");
}

TEST_F(DeviceOption, UnknownDevices) {
  expect_program_fault(2, "embed tests/golden/apply/embed x --device gpu",
                       {"--device", "gpu", "cpu", "cuda"});
  expect_program_fault(2, command("--set train.device=fenced"), {"device", "fenced", "cpu", "cuda"});
}

}  // namespace
}  // namespace locus
