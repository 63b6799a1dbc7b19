#include "locus/kernel/cpu/scratch.h"

#include <cstdlib>
#include <memory>
#include <new>

namespace locus::kernel::cpu {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

void* allocate_scratch() {
  void* memory = allocate_huge_pages(kScratch);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::byte* thread_scratch() {
  static thread_local const std::unique_ptr<void, Free> page(allocate_scratch());
  return static_cast<std::byte*>(page.get());
}

}  // namespace locus::kernel::cpu
