// Shared memory, aligned to 64 bytes, and the account of how much of it there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace locus {

inline constexpr size_t kAlignment = 64;

// What a tensor of so many bytes takes: whole lines, at least one, so that every tensor, empty ones too, has
// an address.
int64_t padded_bytes(int64_t bytes);

// Out of memory: Fault::resource.
std::shared_ptr<std::byte> allocate(int64_t bytes);

// Bytes of all tensors alive, and the most there ever were since the last reset.
int64_t allocated_bytes();
int64_t peak_bytes();
void reset_peak_bytes();

}  // namespace locus
