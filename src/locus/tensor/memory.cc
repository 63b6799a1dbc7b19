#include "locus/tensor/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "locus/base/huge_pages.h"
#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/tensor/blocks.h"
#include "locus/tensor/cuda/memory.h"
#include "locus/tensor/fenced/fenced.h"
#include "locus/tensor/storage.h"
#include "locus/tensor/stored.h"

namespace locus {
namespace {

// Bytes that one thread clears. Larger tensors, such as the gradient of a token-embedding table, are cleared
// in parallel.
constexpr int64_t kClearedPerChunk = 1 << 20;

void* take_from_host(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (bytes >= kHugeBlock) return allocate_huge_pages(size);
  void* block = nullptr;
  return posix_memalign(&block, kAlignment, size) == 0 ? block : nullptr;
}
void give_to_host(void* block, int64_t) { std::free(block); }
int64_t available_on_host() { return memory().available; }

void clear(View view) {
  std::byte* const bytes = view.data;
  parallel_for(view.numel() * size_of(view.dtype), kClearedPerChunk, [bytes](int64_t begin, int64_t end) {
    std::memset(bytes + begin, 0, static_cast<size_t>(end - begin));
  });
}

void fill_on_host(View view, double value) {
  // The bits of 0 are 0 in every dtype, those of -0 are not.
  if (view.contiguous() && std::bit_cast<uint64_t>(value) == 0) return clear(view);
  visit_stored(view.dtype, [&]<class T>(T) {
    for (int64_t r = 0; r < view.rows; ++r) std::fill_n(view.row<T>(r), view.cols, from_double<T>(value));
  });
}

void copy_on_host(View to, ConstView from) {
  const auto width = static_cast<size_t>(size_of(to.dtype));
  for (int64_t r = 0; r < to.rows; ++r) {
    std::memcpy(to.data + width * (r * to.stride), from.data + width * (r * from.stride), width * to.cols);
  }
}

constexpr DeviceMemory kHost = {.take = take_from_host,
                                .give = give_to_host,
                                .available = available_on_host,
                                .fill = fill_on_host,
                                .copy = copy_on_host,
                                .upload = copy_on_host,
                                .download = copy_on_host};

}  // namespace

const DeviceMemory& memory(Device device) {
  switch (device) {
    case Device::fenced:
      return fenced::memory();
    case Device::cuda:
      return cuda::memory();
    default:
      return kHost;
  }
}

void copy(View to, ConstView from) {
  if (on_host(from.device)) return memory(to.device).upload(to, from);
  if (on_host(to.device)) return memory(from.device).download(to, from);
  if (from.device != to.device) {
    fail(Fault::bug, "the {} cannot copy memory of the {}; copy it to the cpu first", name_of(to.device),
         name_of(from.device));
  }
  memory(to.device).copy(to, from);
}

}  // namespace locus
