#include "locus/base/huge_pages.h"

#include <sys/mman.h>

#include <cstdlib>

namespace locus {

void use_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

void use_small_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_NOHUGEPAGE
  madvise(memory, bytes, MADV_NOHUGEPAGE);
#endif
}

void* allocate_huge_pages(size_t bytes) {
  void* memory = nullptr;
  // Unlike aligned_alloc, posix_memalign accepts sizes that are not a multiple of the alignment.
  if (posix_memalign(&memory, kHugePage, bytes) != 0) return nullptr;
  use_huge_pages(memory, bytes);
  return memory;
}

}  // namespace locus
