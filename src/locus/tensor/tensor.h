// Memory with a shape on a device. Copying a Tensor shares its memory; rows(), columns() and reshape() look
// at the same memory. Rows may lie apart (columns of a wider tensor), everything else is contiguous.
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
  Tensor() = default;  // no tensor at all: false in a condition, without elements

  static Tensor empty(Shape shape, DType dtype = DType::f32, Device device = Device::cpu);
  // Over memory that is there already: aligned, and enough.
  static Tensor over(std::shared_ptr<std::byte> memory, Shape shape, DType dtype);
  static Tensor zeros(Shape shape, DType dtype = DType::f32, Device device = Device::cpu);
  static Tensor full(Shape shape, double value, DType dtype = DType::f32, Device device = Device::cpu);
  static Tensor of(Shape shape, std::span<const float> values);
  static Tensor of(Shape shape, std::span<const int32_t> values);
  static Tensor of(Shape shape, std::initializer_list<float> values);
  static Tensor of(Shape shape, std::initializer_list<int32_t> values);
  static Tensor scalar(double value) { return full({}, value); }
  // The same kind of memory as this tensor: its dtype and device, another shape.
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

  // Part of the first axis, and part of the last one.
  Tensor rows(int64_t begin, int64_t end) const;
  Tensor columns(int64_t begin, int64_t end) const;
  Tensor reshape(Shape shape) const;  // contiguous only; the number of elements stays

  Tensor clone() const;            // a contiguous copy of its own
  Tensor on(Device device) const;  // a copy for another device; this tensor when it is there already
  void fill(double value);
  void copy_from(const Tensor& source);  // same shape and dtype

  // Views are shallow: a const Tensor's memory can be written through view().
  View view() const;
  // The elements in order; contiguous tensors only.
  template <class T>
  std::span<T> data() const {
    require(contiguous(), "tensor {}: its rows lie apart, its elements are no single run", shape_);
    return {view().template as<T>(), static_cast<size_t>(numel())};
  }
  std::vector<float> values() const;  // a copy as f32, for tests and printing
  double item() const;                // the only element

 private:
  std::shared_ptr<std::byte> storage_;
  int64_t offset_ = 0;  // in elements
  Shape shape_{0};
  int64_t stride_ = 0;
  DType dtype_ = DType::f32;
  Device device_ = Device::cpu;
};

}  // namespace locus
