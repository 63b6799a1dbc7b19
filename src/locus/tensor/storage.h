// Reference-counted memory, aligned to 64 bytes, and statistics of its use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace locus {

inline constexpr size_t kAlignment = 64;

// The bytes to allocate for a tensor of `bytes` bytes: whole cache lines, at least one, so that even an empty
// tensor has an address.
int64_t padded_bytes(int64_t bytes);

// Fails with Fault::resource if there is no memory.
std::shared_ptr<std::byte> allocate(int64_t bytes);

// Bytes of all live tensors, and the maximum since the last reset.
int64_t allocated_bytes();
int64_t peak_bytes();
void reset_peak_bytes();

}  // namespace locus
