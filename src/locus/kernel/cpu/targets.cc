#include "locus/kernel/cpu/targets.h"

#include <hwy/targets.h>

#if HWY_ARCH_ARM_A64
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace locus::kernel::cpu {
namespace {

// Highway numbers its targets by bits, the better the lower.
std::vector<std::string> names_of(int64_t targets) {
  std::vector<std::string> names;
  for (; targets != 0; targets &= targets - 1) names.emplace_back(hwy::TargetName(targets & -targets));
  return names;
}

}  // namespace

std::vector<std::string> built_targets() { return names_of(HWY_TARGETS); }
std::vector<std::string> supported_targets() { return names_of(hwy::SupportedTargets() & HWY_TARGETS); }

bool has_bfmmla() {
#if HWY_ARCH_ARM_A64
  return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
#else
  return false;
#endif
}

}  // namespace locus::kernel::cpu
