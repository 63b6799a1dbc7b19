// Large blocks of memory, kept when they are given back. Memory new from the system is cleared page by page
// while it is first written, which takes longer than most kernels do to fill it; the next tensor of about
// that size takes a kept block instead, often with its lines still in a cache.
#pragma once

#include <cstdint>

namespace locus {

inline constexpr int64_t kHugeBlock = 4 << 20;  // bytes from which on a block lies in huge pages

// Aligned for tensors; null when there is no memory, not even after every kept block was given up.
void* take_block(int64_t bytes);
void give_block(void* block, int64_t bytes);  // bytes: what take_block was asked for

}  // namespace locus
