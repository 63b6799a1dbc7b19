// Blocks come in classes, eight to a doubling, so that batches of about a length share theirs. Kept and used
// blocks together never exceed the most that was in use at once by more than a quarter: keeping hardly raises
// a program's peak, and blocks that are not needed at the same time need not push each other out.
#include "locus/tensor/blocks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>

#include "locus/base/huge_pages.h"
#include "locus/tensor/storage.h"

namespace locus {
namespace {

// Smaller ones malloc keeps by itself.
constexpr int64_t kSmallest = 128 << 10;
// No more than this stays with a program that has let go of a large model.
constexpr int64_t kMostKept = int64_t{1} << 30;

// A reused block would hide from the address sanitizer that a tensor is used after its end.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeep = false;
#elif defined(__has_feature)
constexpr bool kKeep = !__has_feature(address_sanitizer);
#else
constexpr bool kKeep = true;
#endif

bool keeps(int64_t bytes) { return kKeep && bytes >= kSmallest && bytes <= kMostKept; }

int64_t class_of(int64_t bytes) {
  const auto step = std::bit_floor(static_cast<uint64_t>(bytes)) / 8;
  return static_cast<int64_t>((static_cast<uint64_t>(bytes) + step - 1) / step * step);
}

void* from_system(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (bytes >= kHugeBlock) return allocate_huge_pages(size);
  void* memory = nullptr;
  return posix_memalign(&memory, kAlignment, size) == 0 ? memory : nullptr;
}

class Blocks {
 public:
  void* take(int64_t size) {
    if (void* block = kept(size)) return block;
    void* memory = from_system(size);
    const std::lock_guard lock(mutex_);
    if (memory == nullptr) {
      keep_at_most(0);
      memory = from_system(size);
    }
    if (memory != nullptr) use(size);
    return memory;
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    keep_at_most(0);
  }

  void give(void* block, int64_t size) {
    const std::lock_guard lock(mutex_);
    used_ -= size;
    kept_.emplace(size, Kept{block, ++given_});
    kept_bytes_ += size;
    make_room(0);
  }

 private:
  struct Kept {
    void* block;
    int64_t given;  // counts up: the smallest has waited longest
  };
  using Entry = std::multimap<int64_t, Kept>::iterator;

  // The block of this size that was given last, or null; then there is room for a new one.
  void* kept(int64_t size) {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = kept_.equal_range(size);
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
    kept_bytes_ -= entry->first;
    kept_.erase(entry);
    return block;
  }
  void make_room(int64_t bytes) {
    keep_at_most(std::clamp<int64_t>(most_used_ + most_used_ / 4 - used_ - bytes, 0, kMostKept));
  }
  // Those that have waited longest go first.
  void keep_at_most(int64_t bytes) {
    const auto earlier = [](const auto& a, const auto& b) { return a.second.given < b.second.given; };
    while (kept_bytes_ > bytes) std::free(take_out(std::min_element(kept_.begin(), kept_.end(), earlier)));
  }

  std::mutex mutex_;
  std::multimap<int64_t, Kept> kept_;  // by size; of one size in the order they were given
  int64_t kept_bytes_ = 0, used_ = 0, most_used_ = 0, given_ = 0;
};

// Never destroyed: tensors in static storage may outlive anything that is.
Blocks& blocks() {
  static Blocks& all = *new Blocks;
  return all;
}

}  // namespace

void* take_block(int64_t bytes) {
  if (keeps(bytes)) return blocks().take(class_of(bytes));
  if (void* memory = from_system(bytes)) return memory;
  blocks().give_up();
  return from_system(bytes);
}

void give_block(void* block, int64_t bytes) {
  if (!keeps(bytes)) return std::free(block);
  blocks().give(block, class_of(bytes));
}

}  // namespace locus
