#include "locus/tensor/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "locus/base/checked.h"

namespace locus {
namespace {

std::atomic<int64_t> current{0};
std::atomic<int64_t> peak{0};

void count(int64_t bytes) {
  const int64_t now = current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

// Large memory is asked for in huge pages. Rows looked up all over a vocabulary's table then find their
// addresses, for which small ones cost more time than the rows, and new memory comes with a few hundred times
// fewer page faults.
constexpr int64_t kHugePage = 2 << 20;

void* reserve(int64_t bytes) {
  const bool large = bytes >= 2 * kHugePage;
  void* memory = nullptr;
  // Unlike aligned_alloc, it takes sizes that are no multiple of the alignment.
  if (posix_memalign(&memory, large ? kHugePage : kAlignment, static_cast<size_t>(bytes)) != 0)
    return nullptr;
#ifdef MADV_HUGEPAGE
  if (large) madvise(memory, static_cast<size_t>(bytes), MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace

std::shared_ptr<std::byte> allocate(int64_t bytes) {
  const int64_t padded = checked_add(std::max<int64_t>(bytes, 1), kAlignment - 1, "tensor bytes") /
                         static_cast<int64_t>(kAlignment) * static_cast<int64_t>(kAlignment);
  void* memory = reserve(padded);
  if (memory == nullptr) {
    fail(Fault::resource,
         "out of memory: a tensor needs {} bytes while {} are in use; lower the batch or the length", bytes,
         allocated_bytes());
  }
  count(padded);
  return {static_cast<std::byte*>(memory), [padded](std::byte* p) {
            std::free(p);
            count(-padded);
          }};
}

int64_t allocated_bytes() { return current.load(std::memory_order_relaxed); }
int64_t peak_bytes() { return peak.load(std::memory_order_relaxed); }
void reset_peak_bytes() { peak.store(allocated_bytes(), std::memory_order_relaxed); }

}  // namespace locus
