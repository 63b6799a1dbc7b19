// An array of numbers with a shape and a device. Copies of a Tensor share its memory, and so do rows(),
// columns() and reshape(). Rows may be strided (columns of a wider tensor); everything else is contiguous.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "locus/base/dtype.h"
#include "locus/base/shape.h"
#include "locus/tensor/device.h"
#include "locus/tensor/view.h"

namespace locus {

class Tensor {
 public:
  Tensor() = default;  // no tensor: converts to false, has no elements

  static Tensor empty(Shape shape, DType dtype = DType::f32, Device device = Device::cpu);
  // Uses existing memory of the device, which must be aligned and large enough.
  static Tensor over(std::shared_ptr<std::byte> memory, Shape shape, DType dtype,
                     Device device = Device::cpu);
  static Tensor zeros(Shape shape, DType dtype = DType::f32, Device device = Device::cpu);
  static Tensor full(Shape shape, double value, DType dtype = DType::f32, Device device = Device::cpu);
  static Tensor of(Shape shape, std::span<const float> values);
  static Tensor of(Shape shape, std::span<const int32_t> values);
  static Tensor of(Shape shape, std::initializer_list<float> values);
  static Tensor of(Shape shape, std::initializer_list<int32_t> values);
  static Tensor scalar(double value) { return full({}, value); }
  // A new tensor with the dtype and device of this one.
  Tensor like(Shape shape) const { return empty(shape, dtype_, device_); }
  Tensor zeros_like() const { return zeros(shape_, dtype_, device_); }

  explicit operator bool() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int64_t size(int axis) const { return shape_[axis]; }
  int64_t numel() const { return shape_.numel(); }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  bool contiguous() const { return stride_ == shape_.cols() || shape_.rows() <= 1; }
  bool unshared() const { return storage_.use_count() == 1; }  // no other tensor sees this memory
  bool shares_memory_with(const Tensor& other) const { return storage_ == other.storage_; }

  // A range of the first axis, and a range of the last axis.
  Tensor rows(int64_t begin, int64_t end) const;
  Tensor columns(int64_t begin, int64_t end) const;
  Tensor reshape(Shape shape) const;  // contiguous only; the number of elements must be the same

  Tensor clone() const;            // a contiguous copy
  Tensor on(Device device) const;  // a copy on another device; this tensor if it is on `device`
  Tensor on_host() const;          // this tensor if the host can read it, or a copy on the cpu
  void fill(double value);
  void copy_from(const Tensor& source);  // same shape and dtype; the device may be another

  // Constness is shallow: view() of a const Tensor can be written to.
  View view() const;
  // The elements, if the host can read them.
  // All elements in order; contiguous tensors only.
  template <class T>
  std::span<T> data() const {
    require(contiguous(), Code::bad_shape, "tensor {} is not contiguous; clone() it first", shape_);
    return {view().template as<T>(), static_cast<size_t>(numel())};
  }
  std::vector<float> values() const;  // a copy as f32, for tests and printing
  double item() const;                // the single element

 private:
  std::shared_ptr<std::byte> storage_;
  int64_t offset_ = 0;  // in elements
  Shape shape_{0};
  int64_t stride_ = 0;
  DType dtype_ = DType::f32;
  Device device_ = Device::cpu;
};

}  // namespace locus
