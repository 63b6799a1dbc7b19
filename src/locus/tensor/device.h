// Where a tensor lives and which kernels work on it. `reference` is host memory worked on by the plain
// double-precision kernels: the specification, usable wherever the cpu is.
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

enum class Device : uint8_t { cpu, reference };

constexpr std::string_view name_of(Device device) { return device == Device::cpu ? "cpu" : "reference"; }

}  // namespace locus
