// The memory of a device, as a table of functions. Tensors and Storage call them; everything else uses
// tensors.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus {

// Fills and copies are work of the device (tensor/queue.h). Views of a copy have the same shape and dtype.
struct DeviceMemory {
  // From the system; blocks.h keeps what is returned. Null if there is no memory.
  void* (*take)(int64_t bytes);
  void (*give)(void* block, int64_t bytes);  // bytes: the same as for take
  int64_t (*available)();                    // bytes that programs do not use

  void (*fill)(View, double value);
  void (*copy)(View to, ConstView from);      // both on this device
  void (*upload)(View to, ConstView from);    // from the host, whose memory may change after the call
  void (*download)(View to, ConstView from);  // to the host, after all work of the device
};

const DeviceMemory& memory(Device);

// Devices that share their memory have the same number, from 0 on.
inline constexpr int kMemories = 3;
constexpr int memory_number(Device device) { return on_host(device) ? 0 : device == Device::fenced ? 1 : 2; }

// to = from, between any two devices.
void copy(View to, ConstView from);

}  // namespace locus
