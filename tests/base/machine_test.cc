#include "locus/base/machine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace locus {
namespace {

using Features = std::vector<std::string>;

TEST(Machine, KnowsAnX86ByItsName) {
  const Cpu cpu = parse_cpu(
      "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nflags\t\t: fpu sse4_2 avx2 fma ht\n"
      "processor\t: 1\nmodel name\t: Another\nflags\t\t: fpu\n");
  EXPECT_EQ(cpu.model, "Some CPU @ 2.0GHz");
  EXPECT_EQ(cpu.features, (Features{"sse4_2", "avx2", "fma"}));
}

TEST(Machine, KnowsAnArmByItsNumbers) {
  const Cpu cpu = parse_cpu("Features\t: fp asimd i8mm\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(cpu.model, "Neoverse-V1");
  EXPECT_EQ(cpu.features, (Features{"asimd", "i8mm"}));
  EXPECT_EQ(parse_cpu("CPU implementer: 0x61\nCPU part: 0xd40").model, "implementer 0x61, part 0xd40");
}

TEST(Machine, SaysSoWhenTheKernelIsSilent) {
  EXPECT_EQ(parse_cpu("").model, "unknown");
  EXPECT_TRUE(parse_cpu("\n\n:\n:x").features.empty());
  EXPECT_EQ(parse_memory("nonsense").total, 0);
}

TEST(Machine, ReadsMemoryInBytes) {
  const MemorySize memory = parse_memory("MemTotal:  1000 kB\nMemFree: 5 kB\nMemAvailable:  600 kB\n");
  EXPECT_EQ(memory.total, 1000 * 1024);
  EXPECT_EQ(memory.available, 600 * 1024);
}

TEST(Machine, ThisOneHasMemory) {
  EXPECT_GT(memory().total, 0);
  EXPECT_LE(memory().available, memory().total);
  EXPECT_FALSE(cpu().model.empty());
}

RC_GTEST_PROP(Machine, TakesAnyText, (const std::string& text)) {
  RC_ASSERT(!parse_cpu(text).model.empty());
  parse_memory(text);
}

}  // namespace
}  // namespace locus
