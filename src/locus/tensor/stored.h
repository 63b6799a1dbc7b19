// Numbers as a dtype stores them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "locus/base/dtype.h"

namespace locus {

// Calls f with a value of the C++ type that stores a dtype.
template <class F>
void visit_stored(DType dtype, F&& f) {
  if (dtype == DType::i32) return f(int32_t{});
  if (dtype == DType::i64) return f(int64_t{});
  if (dtype == DType::u8) return f(uint8_t{});
  if (dtype == DType::boolean) return f(Boolean{});
  visit_float(dtype, f);
}

template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, Bf16>) {
    return to_bf16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, F16>) {
    return to_f16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return {static_cast<uint8_t>(value != 0)};
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace locus
