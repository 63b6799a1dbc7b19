// Large memory in huge pages. What is looked up all over it then finds its addresses, for which small pages
// cost more time than what is read, and new memory comes with a few hundred times fewer page faults.
#pragma once

#include <cstddef>

namespace locus {

inline constexpr size_t kHugePage = size_t{2} << 20;

// Asks for them; whole ones inside the memory count. Where the system has none, nothing happens.
void use_huge_pages(void* memory, size_t bytes);

// Asks for none, for memory of which little will be touched, here and there.
void use_small_pages(void* memory, size_t bytes);

// Memory that begins with one, for std::free; null when there is none.
void* allocate_huge_pages(size_t bytes);

}  // namespace locus
