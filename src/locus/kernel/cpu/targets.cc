#include "locus/kernel/cpu/targets.h"

#include <hwy/targets.h>

#if HWY_ARCH_ARM_A64
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace locus::kernel::cpu {
namespace {

// Highway numbers its targets by bits; a lower bit is a better target.
std::vector<std::string> names_of(int64_t targets) {
  std::vector<std::string> names;
  for (; targets != 0; targets &= targets - 1) names.emplace_back(hwy::TargetName(targets & -targets));
  return names;
}

#if HWY_ARCH_X86

// Two extensions that the AVX2 target needs and that not every compiler's __builtin_cpu_supports knows.
bool has_f16c_and_lzcnt() {
  unsigned a, b, f16c, lzcnt, d;
  return __get_cpuid(1, &a, &b, &f16c, &d) && (f16c >> 29 & 1) != 0 &&  //
         __get_cpuid(0x80000001, &a, &b, &lzcnt, &d) && (lzcnt >> 5 & 1) != 0;
}

// The extensions that the compiler may use for each target. __builtin_cpu_supports also checks that the
// operating system saves the registers.
int64_t detect() {
  int64_t targets = HWY_STATIC_TARGET;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul") ||
      !__builtin_cpu_supports("aes")) {
    return targets;
  }
  targets |= HWY_SSE4;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !has_f16c_and_lzcnt()) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd")) {
    return targets;
  }
  return targets | HWY_AVX3;
}

#elif HWY_ARCH_ARM_A64

// Every aarch64 CPU has NEON. Highway's NEON target also includes AES, which no kernel uses.
int64_t detect() { return HWY_STATIC_TARGET | HWY_NEON; }

#else

int64_t detect() { return HWY_STATIC_TARGET; }

#endif

hwy::ChosenTarget chosen;

}  // namespace

std::vector<std::string> built_targets() { return names_of(HWY_TARGETS); }
std::vector<std::string> supported_targets() { return names_of(supported_target_bits()); }

int64_t supported_target_bits() { return (detect() | HWY_SCALAR | HWY_EMU128) & HWY_TARGETS; }

void use_target(int64_t target) { chosen.Update(target != 0 ? target : supported_target_bits()); }

size_t target_index() {
  if (!chosen.IsInitialized()) use_target(0);
  return chosen.GetIndex();
}

bool has_bfmmla() {
#if HWY_ARCH_ARM_A64
  return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
#else
  return false;
#endif
}

}  // namespace locus::kernel::cpu
