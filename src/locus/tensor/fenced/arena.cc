#include "locus/tensor/fenced/arena.h"

#include <sys/mman.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "locus/base/error.h"
#include "locus/tensor/storage.h"

namespace locus::fenced {
namespace {

// Only addresses: pages are backed by memory on their first use.
constexpr int64_t kBytes = int64_t{8} << 30;
constexpr int64_t kPage = 64 << 10;  // a multiple of the page size of every machine

class Arena {
 public:
  void* take(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    std::vector<void*>& returned = returned_[bytes];
    if (!returned.empty()) {
      void* const block = returned.back();
      returned.pop_back();
      return block;
    }
    if (begin_ == nullptr && !reserve()) return nullptr;
    const int64_t padded = padded_bytes(bytes);
    if (padded > kBytes - used_) return nullptr;
    void* const block = begin_ + used_;
    used_ += padded;
    return block;
  }
  void give(void* block, int64_t bytes) {
    const std::lock_guard lock(mutex_);
    returned_[bytes].push_back(block);
  }
  int64_t available() {
    const std::lock_guard lock(mutex_);
    return kBytes - used_;
  }

  int64_t open() {
    const std::lock_guard lock(mutex_);
    const int64_t bytes = (used_ + kPage - 1) / kPage * kPage;
    if (bytes > 0 && ::mprotect(begin_, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE) != 0) {
      fail(Fault::resource, "the access rights of {} bytes of memory cannot be changed", bytes);
    }
    return bytes;
  }
  void close(int64_t bytes) const {
    if (bytes > 0) ::mprotect(begin_, static_cast<size_t>(bytes), PROT_NONE);
  }

 private:
  bool reserve() {
    void* const range =
        ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return false;
    begin_ = static_cast<std::byte*>(range);
    return true;
  }

  std::mutex mutex_;
  std::byte* begin_ = nullptr;
  int64_t used_ = 0;
  std::map<int64_t, std::vector<void*>> returned_;  // by size
};

// Never destroyed: static tensors may outlive every other static object.
Arena& arena() {
  static Arena& one = *new Arena;
  return one;
}

}  // namespace

void* take(int64_t bytes) { return arena().take(bytes); }
void give(void* block, int64_t bytes) { arena().give(block, bytes); }
int64_t available() { return arena().available(); }

OpenArena::OpenArena() : bytes_(arena().open()) {}
OpenArena::~OpenArena() { arena().close(bytes_); }

}  // namespace locus::fenced
