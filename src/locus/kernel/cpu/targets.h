// The SIMD targets the CPU kernels were built for, by Highway's names: NEON, AVX2, AVX3, EMU128, ...
#pragma once

#include <string>
#include <vector>

namespace locus::kernel::cpu {

std::vector<std::string> built_targets();      // best first
std::vector<std::string> supported_targets();  // those of them this CPU can run; the first is the one in use

// Whether this CPU multiplies bf16 matrices by an instruction of its own that Locus uses (bfmmla.h).
bool has_bfmmla();

}  // namespace locus::kernel::cpu
