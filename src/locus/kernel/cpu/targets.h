// The SIMD targets the CPU kernels are built for, by Highway's names (NEON, AVX2, AVX3, SCALAR, ...), and the
// choice of a target when a kernel is called. Highway's own choice needs its library, which measures the
// clock at program start (longer than the rest of the start takes) and does not use NEON on CPUs without AES.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace locus::kernel::cpu {

std::vector<std::string> built_targets();      // best first
std::vector<std::string> supported_targets();  // the ones this CPU can run; the first is the default

// The same as bits of hwy/detect_targets.h. For tests: use_target() selects one of them for all later calls,
// or with 0 the best one.
int64_t supported_target_bits();
void use_target(int64_t target);

// Index of the selected target in the table of a kernel's versions.
size_t target_index();

// Whether this CPU has the bf16 matrix instruction that Locus uses (bfmmla.h).
bool has_bfmmla();

}  // namespace locus::kernel::cpu

// LOCUS_EXPORT defines the table of a kernel's versions, one per target, in the namespace that contains the
// targets. LOCUS_DISPATCH is the version for the selected target.
#define LOCUS_EXPORT(function)                                        \
  static constexpr decltype(&HWY_STATIC_DISPATCH(                     \
      function)) function##_versions[HWY_MAX_DYNAMIC_TARGETS + 2] = { \
      nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}
#define LOCUS_DISPATCH(function) (*function##_versions[::locus::kernel::cpu::target_index()])
