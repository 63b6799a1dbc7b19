#include "locus/tensor/tensor.h"

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/tensor/memory.h"
#include "locus/tensor/storage.h"
#include "locus/tensor/stored.h"

namespace locus {
namespace {

template <class T>
Tensor from_values(Shape shape, std::span<const T> values) {
  require(static_cast<int64_t>(values.size()) == shape.numel(), Code::bad_shape,
          "tensor {}: got {} values, expected {}", shape, values.size(), shape.numel());
  Tensor tensor = Tensor::empty(shape, dtype_of<T>);
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}

}  // namespace

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  const int64_t bytes = checked_multiply(shape.numel(), size_of(dtype), "tensor bytes");
  return over(allocate(bytes, device), shape, dtype, device);
}

Tensor Tensor::over(std::shared_ptr<std::byte> memory, Shape shape, DType dtype, Device device) {
  Tensor tensor;
  tensor.storage_ = std::move(memory);
  tensor.shape_ = shape;
  tensor.stride_ = shape.cols();
  tensor.dtype_ = dtype;
  tensor.device_ = device;
  return tensor;
}

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) { return full(shape, 0, dtype, device); }

Tensor Tensor::full(Shape shape, double value, DType dtype, Device device) {
  Tensor tensor = empty(shape, dtype, device);
  tensor.fill(value);
  return tensor;
}

Tensor Tensor::of(Shape shape, std::span<const float> values) { return from_values(shape, values); }
Tensor Tensor::of(Shape shape, std::span<const int32_t> values) { return from_values(shape, values); }
Tensor Tensor::of(Shape shape, std::initializer_list<float> values) {
  return from_values(shape, std::span<const float>(values.begin(), values.size()));
}
Tensor Tensor::of(Shape shape, std::initializer_list<int32_t> values) {
  return from_values(shape, std::span<const int32_t>(values.begin(), values.size()));
}

Tensor Tensor::rows(int64_t begin, int64_t end) const {
  require(shape_.rank() >= 2 && 0 <= begin && begin <= end && end <= shape_[0], Code::bad_shape,
          "tensor {} has no rows {} to {}", shape_, begin, end);
  std::vector<int64_t> sizes(shape_.sizes().begin(), shape_.sizes().end());
  const int64_t rows_per_item = shape_[0] == 0 ? 0 : shape_.rows() / shape_[0];
  sizes[0] = end - begin;
  Tensor part = *this;
  part.shape_ = Shape(std::span<const int64_t>(sizes));
  part.offset_ += begin * rows_per_item * stride_;
  return part;
}

Tensor Tensor::columns(int64_t begin, int64_t end) const {
  require(shape_.rank() >= 1 && 0 <= begin && begin <= end && end <= shape_.cols(), Code::bad_shape,
          "tensor {} has no columns {} to {}", shape_, begin, end);
  Tensor part = *this;
  part.shape_ = shape_.with_last(end - begin);
  part.offset_ += begin;
  return part;
}

Tensor Tensor::reshape(Shape shape) const {
  require(shape.numel() == shape_.numel(), Code::bad_shape,
          "reshape: tensor {} has {} elements, the new shape {} has {}", shape_, numel(), shape,
          shape.numel());
  require(contiguous(), Code::bad_shape, "reshape: tensor {} is not contiguous; clone() it first", shape_);
  Tensor same = *this;
  same.shape_ = shape;
  same.stride_ = shape.cols();
  return same;
}

Tensor Tensor::clone() const {
  Tensor copy = like(shape_);
  copy.copy_from(*this);
  return copy;
}

Tensor Tensor::on(Device device) const {
  if (device == device_) return *this;
  if (!locus::on_host(device) && !locus::on_host(device_)) return on(Device::cpu).on(device);
  const Tensor other = empty(shape_, dtype_, device);
  if (numel() > 0) copy(other.view(), view());
  return other;
}

Tensor Tensor::on_host() const { return locus::on_host(device_) ? *this : on(Device::cpu); }

void Tensor::fill(double value) {
  if (numel() == 0) return;  // there may be 2^62 rows without columns
  memory(device_).fill(view(), value);
}

void Tensor::copy_from(const Tensor& source) {
  require(source.shape_ == shape_ && source.dtype_ == dtype_, Code::bad_shape,
          "copy_from: source is {} {}, expected {} {}", name_of(source.dtype_), source.shape_,
          name_of(dtype_), shape_);
  if (numel() > 0) copy(view(), source.view());
}

View Tensor::view() const {
  return {storage_ ? storage_.get() + offset_ * size_of(dtype_) : nullptr,
          dtype_,
          device_,
          shape_.rows(),
          shape_.cols(),
          stride_};
}

std::vector<float> Tensor::values() const {
  std::vector<float> result(static_cast<size_t>(numel()));
  if (result.empty()) return result;
  const View v = view();
  visit_stored(dtype_, [&]<class T>(T) {
    const auto as_float = [](T value) {
      if constexpr (sizeof(T) == 2) {
        return to_f32(value);
      } else if constexpr (std::is_same_v<T, Boolean>) {
        return value.bits != 0 ? 1.0f : 0.0f;
      } else {
        return static_cast<float>(value);
      }
    };
    for (int64_t r = 0; r < v.rows; ++r) {
      const T* row = v.row<T>(r);
      std::transform(row, row + v.cols, result.begin() + r * v.cols, as_float);
    }
  });
  return result;
}

double Tensor::item() const {
  require(numel() == 1, Code::bad_shape, "item: tensor has shape {}, expected a single element", shape_);
  if (dtype_ == DType::f64) return data<double>()[0];
  if (dtype_ == DType::i32) return data<int32_t>()[0];
  return values()[0];
}

}  // namespace locus
