#include "locus/tensor/storage.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "locus/base/checked.h"
#include "locus/tensor/blocks.h"
#include "locus/tensor/memory.h"

namespace locus {
namespace {

struct Account {
  std::atomic<int64_t> current{0}, peak{0};

  void count(int64_t bytes) {
    const int64_t now = current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  }
};

Account& account(Device device) {
  static std::array<Account, kMemories> accounts;
  return accounts[static_cast<size_t>(memory_number(device))];
}

}  // namespace

int64_t padded_bytes(int64_t bytes) {
  return checked_add(std::max<int64_t>(bytes, 1), kAlignment - 1, "tensor bytes") /
         static_cast<int64_t>(kAlignment) * static_cast<int64_t>(kAlignment);
}

std::shared_ptr<std::byte> allocate(int64_t bytes, Device device) {
  const int64_t padded = padded_bytes(bytes);
  void* memory = take_block(device, padded);
  if (memory == nullptr) {
    fail(
        {Fault::resource, Code::none, "use a smaller batch or shorter sequences"},
        "out of memory: cannot allocate {} bytes for a tensor on the {}, {} bytes are in use and {} are free",
        bytes, name_of(device), allocated_bytes(device), available_bytes(device));
  }
  account(device).count(padded);
  return {static_cast<std::byte*>(memory), [padded, device](std::byte* p) {
            give_block(device, p, padded);
            account(device).count(-padded);
          }};
}

int64_t available_bytes(Device device) { return locus::memory(device).available() + cached_bytes(device); }
int64_t allocated_bytes(Device device) { return account(device).current.load(std::memory_order_relaxed); }
int64_t peak_bytes(Device device) { return account(device).peak.load(std::memory_order_relaxed); }
void reset_peak_bytes(Device device) {
  account(device).peak.store(allocated_bytes(device), std::memory_order_relaxed);
}

}  // namespace locus
