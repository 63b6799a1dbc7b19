// Selects the memory of a tensor and the kernels that process it.
//   cpu        host memory, processed by fast kernels
//   cuda       memory of an NVIDIA GPU, processed there
//   reference  host memory, processed by simple double-precision kernels that serve as the specification
//   fenced     memory that the host cannot read, processed by the kernels of cpu when the host waits. On a
//              machine without a GPU, tests find with it what takes the memory of a GPU for the host's.
// Users choose between the first two.
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

enum class Device : uint8_t { cpu, cuda, reference, fenced };

constexpr std::string_view name_of(Device device) {
  constexpr std::string_view kNames[] = {"cpu", "cuda", "reference", "fenced"};
  return kNames[static_cast<uint8_t>(device)];
}

// The words of a setting that chooses a device.
inline constexpr std::string_view kDeviceWords = "cpu|cuda";

// Whether the host can read and write the memory of tensors on this device.
constexpr bool on_host(Device device) { return device == Device::cpu || device == Device::reference; }

}  // namespace locus
