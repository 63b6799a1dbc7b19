// Reference-counted memory, aligned to 64 bytes, and statistics of its use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "locus/tensor/device.h"

namespace locus {

inline constexpr size_t kAlignment = 64;

// The bytes to allocate for a tensor of `bytes` bytes: whole cache lines, at least one, so that even an empty
// tensor has an address.
int64_t padded_bytes(int64_t bytes);

// Fails with Fault::resource if there is no memory.
std::shared_ptr<std::byte> allocate(int64_t bytes, Device device = Device::cpu);

// Bytes of all live tensors in the memory of a device, and the maximum since the last reset.
int64_t allocated_bytes(Device device = Device::cpu);
int64_t peak_bytes(Device device = Device::cpu);
void reset_peak_bytes(Device device = Device::cpu);
// Bytes that new tensors can take: those that no program uses, and those of cached blocks.
int64_t available_bytes(Device device);

}  // namespace locus
