#include "locus/kernel/cpu/targets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace locus::kernel::cpu {
namespace {

TEST(Targets, ThisCpuRunsSomeBuiltTargetsAndAlwaysTheScalarOne) {
  const std::vector<std::string> built = built_targets(), supported = supported_targets();
  ASSERT_FALSE(supported.empty());
  for (const std::string& name : supported) EXPECT_EQ(std::ranges::count(built, name), 1) << name;
  EXPECT_EQ(supported.back(), built.back());
#ifdef __aarch64__
  EXPECT_EQ(supported.front(), "NEON");
#endif
}

// Tables are in the order of the targets, best first.
TEST(Targets, EachHasItsOwnEntryAndTheBestIsUsed) {
  const size_t best = target_index();
  size_t last = 0;
  for (int64_t targets = supported_target_bits(); targets != 0; targets &= targets - 1) {
    use_target(targets & -targets);
    EXPECT_GT(target_index(), last);
    EXPECT_GE(target_index(), best);
    last = target_index();
  }
  use_target(0);
  EXPECT_EQ(target_index(), best);
}

}  // namespace
}  // namespace locus::kernel::cpu
