#include "locus/kernel/processor.h"

#include <gtest/gtest.h>

#include "locus/kernel/cpu/targets.h"
#include "locus/tensor/cuda/driver.h"

namespace locus {
namespace {

TEST(Processor, IsTheSimdTargetOrTheGpu) {
  EXPECT_EQ(processor_of(Device::cpu), kernel::cpu::supported_targets().front());
  const cuda::Finding gpu = cuda::find();
  if (gpu.gpus == 0) GTEST_SKIP() << gpu.problem;
  EXPECT_TRUE(processor_of(Device::cuda).starts_with(gpu.gpu));
}

}  // namespace
}  // namespace locus
