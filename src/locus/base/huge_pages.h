// Huge pages for large memory. Random access to it then has far fewer TLB misses, which cost more than the
// reads themselves with small pages, and new memory takes a few hundred times fewer page faults.
#pragma once

#include <cstddef>

namespace locus {

inline constexpr size_t kHugePage = size_t{2} << 20;

// Requests huge pages for the part of the memory that consists of whole ones. Does nothing if the system has
// none.
void use_huge_pages(void* memory, size_t bytes);

// Requests small pages, for memory that is accessed sparsely.
void use_small_pages(void* memory, size_t bytes);

// Memory aligned to a huge page; release it with std::free. Null if the system is out of memory.
void* allocate_huge_pages(size_t bytes);

}  // namespace locus
