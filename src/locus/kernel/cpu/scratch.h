// Scratch memory that each thread keeps for its kernels, in one huge page. The small pages of a stack have
// arbitrary physical addresses and evict each other from the L2 cache.
#pragma once

#include <cstddef>

#include "locus/base/huge_pages.h"

namespace locus::kernel::cpu {

inline constexpr size_t kScratch = kHugePage;  // bytes

// The scratch memory of the calling thread. Its contents do not survive from one task to the next.
std::byte* thread_scratch();

}  // namespace locus::kernel::cpu
