// Large memory in huge pages. What is looked up all over it then finds its addresses, for which small pages
// cost more time than what is read, and new memory comes with a few hundred times fewer page faults.
#pragma once

#include <cstddef>

namespace locus {

inline constexpr size_t kHugePage = size_t{2} << 20;

// Asks for them; whole ones inside the memory count. Where the system has none, nothing happens.
void use_huge_pages(void* memory, size_t bytes);

}  // namespace locus
