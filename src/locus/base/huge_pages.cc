#include "locus/base/huge_pages.h"

#include <sys/mman.h>

namespace locus {

void use_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace locus
