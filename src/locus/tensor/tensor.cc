#include "locus/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/tensor/storage.h"

namespace locus {
namespace {

// Bytes that one thread clears. Larger tensors, such as the gradient of a token-embedding table, are cleared
// in parallel.
constexpr int64_t kClearedPerChunk = 1 << 20;

template <class T>
Tensor from_values(Shape shape, std::span<const T> values) {
  require(static_cast<int64_t>(values.size()) == shape.numel(), Code::bad_shape,
          "tensor {}: got {} values, expected {}", shape, values.size(), shape.numel());
  Tensor tensor = Tensor::empty(shape, dtype_of<T>);
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
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

// Calls f with a value of the C++ type that stores a dtype.
template <class F>
void visit(DType dtype, F&& f) {
  if (dtype == DType::i32) return f(int32_t{});
  if (dtype == DType::i64) return f(int64_t{});
  if (dtype == DType::u8) return f(uint8_t{});
  if (dtype == DType::boolean) return f(Boolean{});
  visit_float(dtype, f);
}

}  // namespace

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  Tensor tensor =
      over(allocate(checked_multiply(shape.numel(), size_of(dtype), "tensor bytes")), shape, dtype);
  tensor.device_ = device;
  return tensor;
}

Tensor Tensor::over(std::shared_ptr<std::byte> memory, Shape shape, DType dtype) {
  Tensor tensor;
  tensor.storage_ = std::move(memory);
  tensor.shape_ = shape;
  tensor.stride_ = shape.cols();
  tensor.dtype_ = dtype;
  return tensor;
}

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) {
  Tensor tensor = empty(shape, dtype, device);
  std::byte* memory = tensor.view().data;
  parallel_for(shape.numel() * size_of(dtype), kClearedPerChunk, [memory](int64_t begin, int64_t end) {
    std::memset(memory + begin, 0, static_cast<size_t>(end - begin));
  });
  return tensor;
}

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
  Tensor copy = clone();
  copy.device_ = device;
  return copy;
}

void Tensor::fill(double value) {
  if (numel() == 0) return;  // there may be 2^62 rows without columns
  const View v = view();
  visit(dtype_, [&]<class T>(T) {
    for (int64_t r = 0; r < v.rows; ++r) std::fill_n(v.row<T>(r), v.cols, from_double<T>(value));
  });
}

void Tensor::copy_from(const Tensor& source) {
  require(source.shape_ == shape_ && source.dtype_ == dtype_, Code::bad_shape,
          "copy_from: source is {} {}, expected {} {}", name_of(source.dtype_), source.shape_,
          name_of(dtype_), shape_);
  if (numel() == 0) return;
  const View to = view();
  const View from = source.view();
  const auto width = static_cast<size_t>(size_of(dtype_));
  for (int64_t r = 0; r < to.rows; ++r) {
    std::memcpy(to.data + width * (r * to.stride), from.data + width * (r * from.stride), width * to.cols);
  }
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
  visit(dtype_, [&]<class T>(T) {
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
