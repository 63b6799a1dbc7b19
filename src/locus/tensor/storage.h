// Shared memory, aligned to 64 bytes, and the account of how much of it there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace locus {

inline constexpr size_t kAlignment = 64;

// At least one byte is had, so that every tensor, empty ones too, has an address. Out of memory:
// Fault::resource.
std::shared_ptr<std::byte> allocate(int64_t bytes);

// Bytes of all tensors alive, and the most there ever were since the last reset.
int64_t allocated_bytes();
int64_t peak_bytes();
void reset_peak_bytes();

}  // namespace locus
