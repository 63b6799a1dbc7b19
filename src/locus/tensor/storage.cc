#include "locus/tensor/storage.h"

#include <algorithm>
#include <atomic>

#include "locus/base/checked.h"
#include "locus/tensor/blocks.h"

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

}  // namespace

int64_t padded_bytes(int64_t bytes) {
  return checked_add(std::max<int64_t>(bytes, 1), kAlignment - 1, "tensor bytes") /
         static_cast<int64_t>(kAlignment) * static_cast<int64_t>(kAlignment);
}

std::shared_ptr<std::byte> allocate(int64_t bytes) {
  const int64_t padded = padded_bytes(bytes);
  void* memory = take_block(padded);
  if (memory == nullptr) {
    fail({Fault::resource, Code::none, "use a smaller batch or shorter sequences"},
         "out of memory: cannot allocate {} bytes for a tensor, {} bytes are in use", bytes,
         allocated_bytes());
  }
  count(padded);
  return {static_cast<std::byte*>(memory), [padded](std::byte* p) {
            give_block(p, padded);
            count(-padded);
          }};
}

int64_t allocated_bytes() { return current.load(std::memory_order_relaxed); }
int64_t peak_bytes() { return peak.load(std::memory_order_relaxed); }
void reset_peak_bytes() { peak.store(allocated_bytes(), std::memory_order_relaxed); }

}  // namespace locus
