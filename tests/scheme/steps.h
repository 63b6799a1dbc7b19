// The maps of tests/golden/scheme/maps.safetensors, stored as the points where the value changes and the new
// value.
#pragma once

#include <vector>

#include "locus/checkpoint/safetensors.h"

namespace locus::testing {

inline SafetensorsFile golden_maps() { return SafetensorsFile(LOCUS_GOLDEN "/scheme/maps.safetensors"); }

// steps i32 [2, n]: the map over 0 .. size - 1.
inline std::vector<int32_t> expand(const Tensor& steps, size_t size) {
  const auto values = steps.data<int32_t>();
  const size_t count = values.size() / 2;
  std::vector<int32_t> map;
  for (size_t i = 0; i < count; ++i) {
    map.resize(i + 1 < count ? static_cast<size_t>(values[i + 1]) : size, values[count + i]);
  }
  return map;
}

}  // namespace locus::testing
