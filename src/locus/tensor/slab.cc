#include "locus/tensor/slab.h"

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/tensor/blocks.h"
#include "locus/tensor/storage.h"

namespace locus {
namespace {

constexpr int64_t kBlock = 16 << 20;

}  // namespace

Tensor Slab::empty(const Shape& shape, DType dtype) {
  const int64_t bytes = padded_bytes(checked_multiply(shape.numel(), size_of(dtype), "tensor bytes"));
  all_ = checked_add(all_, bytes, "bytes of tensors");
  if (size_ - used_ < bytes) {
    // The last block may hold only one small tensor. So a block is at most an eighth of all requested bytes.
    const int64_t size = std::min(all_ / 8, kBlock);
    if (size < kHugeBlock || bytes >= kHugeBlock) return Tensor::empty(shape, dtype);
    block_ = allocate(size);
    size_ = size, used_ = 0;
  }
  const std::shared_ptr<std::byte> memory(block_, block_.get() + used_);
  used_ += bytes;
  return Tensor::over(memory, shape, dtype);
}

}  // namespace locus
