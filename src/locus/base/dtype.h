// Number formats of stored values. On the CPU all arithmetic is f32, whatever the storage format. f64 exists
// for the reference kernels, because finite differences need it. u8 and boolean are only copied between
// files.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "locus/base/error.h"
#include "locus/base/half.h"

namespace locus {

enum class DType : uint8_t { f32, bf16, f16, i32, i64, f64, u8, boolean };

// One byte that should be 0 or 1. It is not a C++ bool: a file may hold any byte, and reading a byte other
// than 0 or 1 as bool is undefined behavior.
struct Boolean {
  uint8_t bits = 0;
};

constexpr int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::boolean:
      return 1;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::i64:
    case DType::f64:
      return 8;
  }
  return 0;
}

constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::bf16:
      return "bf16";
    case DType::f16:
      return "f16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::f64:
      return "f64";
    case DType::u8:
      return "u8";
    case DType::boolean:
      return "boolean";
  }
  return "";
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::f32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::f64> {};
template <>
struct DTypeOf<Bf16> : std::integral_constant<DType, DType::bf16> {};
template <>
struct DTypeOf<F16> : std::integral_constant<DType, DType::f16> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<DType, DType::i32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<DType, DType::i64> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::u8> {};
template <>
struct DTypeOf<Boolean> : std::integral_constant<DType, DType::boolean> {};
template <class T>
constexpr DType dtype_of = DTypeOf<T>::value;

constexpr bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16 || dtype == DType::f64;
}

// Calls f with a value of the C++ type that stores a floating dtype:
//   visit_float(x.dtype, [&]<class T>(T) { ... })
template <class F>
decltype(auto) visit_float(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f(float{});
    case DType::f64:
      return f(double{});
    case DType::bf16:
      return f(Bf16{});
    case DType::f16:
      return f(F16{});
    default:
      fail(Fault::bug, "dtype is {}, expected a floating-point dtype", name_of(dtype));
  }
}

}  // namespace locus
