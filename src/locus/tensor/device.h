// Selects the memory of a tensor and the kernels that process it. `reference` is host memory, processed by
// simple double-precision kernels that serve as the specification. It is available wherever `cpu` is.
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

enum class Device : uint8_t { cpu, reference };

constexpr std::string_view name_of(Device device) { return device == Device::cpu ? "cpu" : "reference"; }

}  // namespace locus
