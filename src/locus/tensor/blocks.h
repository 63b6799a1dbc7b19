// A cache of large memory blocks. The system clears new memory page by page on the first write, which takes
// longer than most kernels need to fill it. A returned block goes to the next tensor of about the same size,
// often with its contents still in the CPU cache.
#pragma once

#include <cstdint>

#include "locus/tensor/device.h"

namespace locus {

inline constexpr int64_t kHugeBlock = 4 << 20;  // blocks of at least this many bytes use huge pages

// Aligned for tensors. Null if there is no memory even after releasing every cached block.
void* take_block(Device device, int64_t bytes);
void give_block(Device device, void* block, int64_t bytes);  // bytes: the same as for take_block
int64_t cached_bytes(Device device);
// Returns the cached blocks to the system.
void release_cached_blocks(Device device);

}  // namespace locus
