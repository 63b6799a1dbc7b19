// The argument type of kernels: rows of numbers in memory. A view does not own its memory. It carries its
// dtype and device, so that a new dtype or device does not change the signatures of kernels.
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

  // A default-constructed view represents an absent optional argument.
  explicit operator bool() const { return data != nullptr; }
  int64_t numel() const { return rows * cols; }
  bool contiguous() const { return stride == cols || rows <= 1; }

  // An address on the device.
  template <class T>
  Element<T>* address() const {
    if (dtype != dtype_of<T>) [[unlikely]] {
      fail(Fault::bug, "a kernel got dtype {}, expected {}", name_of(dtype), name_of(dtype_of<T>));
    }
    return reinterpret_cast<Element<T>*>(data);
  }
  // The same for memory that the host reads or writes.
  template <class T>
  Element<T>* row(int64_t r) const {
    if (!on_host(device)) [[unlikely]] {
      fail(Fault::bug, "the host cannot read memory of the device {}; copy it to the cpu first",
           name_of(device));
    }
    return address<T>() + r * stride;
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
