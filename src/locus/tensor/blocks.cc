// Block sizes are rounded up to classes, eight per power of two, so that batches of similar length share
// blocks. Cached and used blocks together never exceed the peak of used bytes by more than a quarter. So the
// cache hardly raises a program's peak memory, and blocks that are used at different times do not evict each
// other.
#include "locus/tensor/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <mutex>

#include "locus/tensor/memory.h"

namespace locus {
namespace {

// malloc caches smaller blocks of the host itself.
constexpr int64_t kSmallestOfHost = 128 << 10;
// Limits the host's memory that stays with a program after it releases a large model. A GPU allocates slowly
// and waits for its work before it releases, so there blocks of any size are cached.
int64_t most_cached(Device device) {
  return on_host(device) ? int64_t{1} << 30 : std::numeric_limits<int64_t>::max();
}

// Reusing blocks would hide uses of released tensors from the address sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUseCache = false;
#elif defined(__has_feature)
constexpr bool kUseCache = !__has_feature(address_sanitizer);
#else
constexpr bool kUseCache = true;
#endif

bool cacheable(Device device, int64_t bytes) {
  return kUseCache && bytes >= (on_host(device) ? kSmallestOfHost : 0) && bytes <= most_cached(device);
}

int64_t size_class(int64_t bytes) {
  const auto step = std::bit_floor(static_cast<uint64_t>(bytes)) / 8;
  return static_cast<int64_t>((static_cast<uint64_t>(bytes) + step - 1) / step * step);
}

class BlockCache {
 public:
  explicit BlockCache(Device device) : memory_(memory(device)), most_cached_(most_cached(device)) {}

  void* take(int64_t size) {
    if (void* block = reuse(size)) return block;
    void* memory = memory_.take(size);
    const std::lock_guard lock(mutex_);
    if (memory == nullptr) {
      shrink_to(0);
      memory = memory_.take(size);
    }
    if (memory != nullptr) use(size);
    return memory;
  }

  int64_t cached_bytes() {
    const std::lock_guard lock(mutex_);
    return cached_bytes_;
  }
  void release_all() {
    const std::lock_guard lock(mutex_);
    shrink_to(0);
  }

  void give(void* block, int64_t size) {
    const std::lock_guard lock(mutex_);
    used_ -= size;
    cached_.emplace(size, CachedBlock{block, ++given_});
    cached_bytes_ += size;
    make_room(0);
  }

 private:
  struct CachedBlock {
    void* block;
    int64_t given;  // a serial number: the smallest was returned first
  };
  using Entry = std::multimap<int64_t, CachedBlock>::iterator;

  // The most recently returned block of this size. If there is none, makes room for a new one and returns
  // null.
  void* reuse(int64_t size) {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = cached_.equal_range(size);
    if (begin == end) {
      make_room(size);
      return nullptr;
    }
    use(size);
    return take_out(std::prev(end));
  }
  void use(int64_t size) {
    used_ += size;
    most_used_ = std::max(most_used_, used_);
  }
  void* take_out(Entry entry) {
    void* block = entry->second.block;
    cached_bytes_ -= entry->first;
    cached_.erase(entry);
    return block;
  }
  void make_room(int64_t bytes) {
    shrink_to(std::clamp<int64_t>(most_used_ + most_used_ / 4 - used_ - bytes, 0, most_cached_));
  }
  // Releases the oldest blocks first.
  void shrink_to(int64_t bytes) {
    const auto earlier = [](const auto& a, const auto& b) { return a.second.given < b.second.given; };
    while (cached_bytes_ > bytes) {
      const Entry oldest = std::min_element(cached_.begin(), cached_.end(), earlier);
      const int64_t size = oldest->first;
      memory_.give(take_out(oldest), size);
    }
  }

  const DeviceMemory& memory_;
  const int64_t most_cached_;
  std::mutex mutex_;
  std::multimap<int64_t, CachedBlock> cached_;  // by size; equal sizes in the order they were returned
  int64_t cached_bytes_ = 0, used_ = 0, most_used_ = 0, given_ = 0;
};

// Never destroyed: static tensors may outlive every other static object.
BlockCache& block_cache(Device device) {
  static auto& caches = *new std::array<BlockCache, kMemories>{
      BlockCache(Device::cpu), BlockCache(Device::fenced), BlockCache(Device::cuda)};
  return caches[static_cast<size_t>(memory_number(device))];
}

}  // namespace

void* take_block(Device device, int64_t bytes) {
  if (cacheable(device, bytes)) return block_cache(device).take(size_class(bytes));
  if (void* block = memory(device).take(bytes)) return block;
  release_cached_blocks(device);
  return memory(device).take(bytes);
}

int64_t cached_bytes(Device device) { return block_cache(device).cached_bytes(); }
void release_cached_blocks(Device device) { block_cache(device).release_all(); }

void give_block(Device device, void* block, int64_t bytes) {
  if (!cacheable(device, bytes)) return memory(device).give(block, bytes);
  block_cache(device).give(block, size_class(bytes));
}

}  // namespace locus
