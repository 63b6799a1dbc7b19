// The memory and the queue of the fenced device. Its memory can be read and written only while its work is
// done, which is when the host waits for it. So what a GPU would do wrong fails here: a host that reads
// memory of the device is stopped by the processor, and one that reads too early, or hands over work whose
// arguments die before it is done, gets wrong results.
#pragma once

#include <cstdint>
#include <functional>

#include "locus/tensor/memory.h"

namespace locus::fenced {

const DeviceMemory& memory();

// Adds work, which may read and write this memory through views of the cpu.
void hand_over(std::function<void()> work);
void wait();
int64_t waits();

// The same memory as a view of the cpu. Fails with Fault::bug if it is on another device.
template <class Byte>
BasicView<Byte> unfenced(BasicView<Byte> view) {
  if (view && view.device != Device::fenced) {
    fail(Fault::bug, "a kernel of the fenced device got memory of the {}", name_of(view.device));
  }
  view.device = Device::cpu;
  return view;
}

}  // namespace locus::fenced
