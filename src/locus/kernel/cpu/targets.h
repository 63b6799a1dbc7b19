// The SIMD targets the CPU kernels are built for, by Highway's names (NEON, AVX2, AVX3, SCALAR, ...), and the
// choice among them when a kernel is called. Highway's own choice is in a library that measures the clock
// whenever a program starts, for longer than everything else of a start takes; and it runs no NEON where the
// CPU has no AES.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace locus::kernel::cpu {

std::vector<std::string> built_targets();      // best first
std::vector<std::string> supported_targets();  // those of them this CPU can run; the first is the one in use

// The same as bits of hwy/detect_targets.h. For tests: what runs from here on, one of them or, by 0, the
// best.
int64_t supported_target_bits();
void use_target(int64_t target);

// Which entry of a kernel's table is in use.
size_t target_index();

// Whether this CPU multiplies bf16 matrices by an instruction of its own that Locus uses (bfmmla.h).
bool has_bfmmla();

}  // namespace locus::kernel::cpu

// The table of a kernel's versions, in the namespace that holds those of the targets, and the version in use.
#define LOCUS_EXPORT(function)                                        \
  static constexpr decltype(&HWY_STATIC_DISPATCH(                     \
      function)) function##_versions[HWY_MAX_DYNAMIC_TARGETS + 2] = { \
      nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}
#define LOCUS_DISPATCH(function) (*function##_versions[::locus::kernel::cpu::target_index()])
