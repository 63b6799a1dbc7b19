// Selects the memory of a tensor and the kernels that process it.
//   cpu        host memory, processed by fast kernels
//   reference  host memory, processed by simple double-precision kernels that serve as the specification
//   fenced     memory that the host cannot read, processed by the kernels of cpu when the host waits. On a
//              machine without a GPU, tests find with it what takes the memory of a GPU for the host's.
//   cuda       memory of an NVIDIA GPU, processed there
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

enum class Device : uint8_t { cpu, reference, fenced, cuda };

constexpr std::string_view name_of(Device device) {
  constexpr std::string_view kNames[] = {"cpu", "reference", "fenced", "cuda"};
  return kNames[static_cast<uint8_t>(device)];
}

// Whether the host can read and write the memory of tensors on this device.
constexpr bool on_host(Device device) { return device == Device::cpu || device == Device::reference; }

}  // namespace locus
