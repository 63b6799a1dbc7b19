// Memory that a thread keeps for its kernels, one huge page: the small pages of a stack lie anywhere, and
// push each other out of the second-level cache.
#pragma once

#include <cstddef>

#include "locus/base/huge_pages.h"

namespace locus::kernel::cpu {

inline constexpr size_t kScratch = kHugePage;  // bytes of it

// The calling thread's; what a chunk of work left there is lost to the next.
std::byte* thread_scratch();

}  // namespace locus::kernel::cpu
