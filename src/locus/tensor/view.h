// What kernels see: rows of numbers somewhere in memory. A view owns nothing and carries its dtype and
// device, so a kernel's arguments stay the same when a format or a device is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "locus/base/dtype.h"
#include "locus/tensor/device.h"

namespace locus {

template <class Byte>
struct BasicView {
  Byte* data = nullptr;
  DType dtype = DType::f32;
  Device device = Device::cpu;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;  // elements from one row's start to the next

  template <class T>
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  // An absent optional argument is a default-made view.
  explicit operator bool() const { return data != nullptr; }
  int64_t numel() const { return rows * cols; }
  bool contiguous() const { return stride == cols || rows <= 1; }

  template <class T>
  Element<T>* row(int64_t r) const {
    if (dtype != dtype_of<T>) [[unlikely]] {
      fail(Fault::bug, "a kernel was given {} where it takes {}", name_of(dtype), name_of(dtype_of<T>));
    }
    return reinterpret_cast<Element<T>*>(data) + r * stride;
  }
  template <class T>
  Element<T>* as() const {
    return row<T>(0);
  }

  operator BasicView<const std::byte>() const requires(!std::is_const_v<Byte>) {
    return {data, dtype, device, rows, cols, stride};
  }
};

using View = BasicView<std::byte>;
using ConstView = BasicView<const std::byte>;

}  // namespace locus
