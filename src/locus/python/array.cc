#include "locus/python/array.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "locus/python/computing.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

std::atomic<int64_t> copies{0};

// Calls f(offset) for every element in row-major order; offset is in elements and can be negative.
template <class F>
void each_offset(const Array& array, F&& f) {
  const int rank = static_cast<int>(array.ndim());
  std::array<int64_t, Shape::kMaxRank> index{};
  int64_t left = 1, offset = 0;
  for (int axis = 0; axis < rank; ++axis) left *= static_cast<int64_t>(array.shape(axis));
  for (; left > 0; --left) {
    f(offset);
    for (int axis = rank - 1; axis >= 0; --axis) {
      offset += array.stride(axis);
      if (++index[axis] < static_cast<int64_t>(array.shape(axis))) break;
      offset -= index[axis] * array.stride(axis);
      index[axis] = 0;
    }
  }
}

bool in_order(const Array& array) {
  int64_t expected = 1;
  for (int axis = static_cast<int>(array.ndim()) - 1; axis >= 0; --axis) {
    const auto size = static_cast<int64_t>(array.shape(axis));
    if (size == 0) return true;
    if (size != 1 && array.stride(axis) != expected) return false;
    expected *= size;
  }
  return true;
}

bool aligned(const Array& array, DType dtype) {
  return reinterpret_cast<uintptr_t>(array.data()) % static_cast<uintptr_t>(size_of(dtype)) == 0;
}

// Element i of memory that may not be aligned.
template <class T>
T element(const Array& array, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(array.data()) + offset * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <class To>
To number(Bf16 value) {
  return static_cast<To>(to_f32(value));
}
template <class To>
To number(F16 value) {
  return static_cast<To>(to_f32(value));
}
template <class To, class From>
requires std::is_arithmetic_v<From> To number(From value) { return static_cast<To>(value); }

template <class From, class To>
void convert(const Array& array, To* to) {
  each_offset(array, [&](int64_t offset) { *to++ = number<To>(element<From>(array, offset)); });
}

template <class To>
void converted(const Array& array, DType from, To* to) {
  switch (from) {
    case DType::f32:
      return convert<float>(array, to);
    case DType::f64:
      return convert<double>(array, to);
    case DType::bf16:
      return convert<Bf16>(array, to);
    case DType::f16:
      return convert<F16>(array, to);
    case DType::i32:
      return convert<int32_t>(array, to);
    case DType::i64:
      return convert<int64_t>(array, to);
    case DType::u8:
    case DType::boolean:
      return convert<uint8_t>(array, to);
  }
}

Tensor copy_of(const Array& array, const Shape& shape, DType from, DType to) {
  ++copies;
  Tensor copy = Tensor::empty(shape, to);
  if (to == DType::f32) {
    converted(array, from, copy.data<float>().data());
  } else if (to == DType::f64) {
    converted(array, from, copy.data<double>().data());
  } else {  // bf16, copied as it is
    auto* words = reinterpret_cast<uint16_t*>(copy.view().data);
    each_offset(array, [&](int64_t offset) { *words++ = element<uint16_t>(array, offset); });
  }
  return copy;
}

}  // namespace

DType dtype_of_array(const Array& array, std::string_view name) {
  const nb::dlpack::dtype type = array.dtype();
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  using enum nb::dlpack::dtype_code;
  if (type.lanes == 1) {
    if (code == Float && type.bits == 32) return DType::f32;
    if (code == Float && type.bits == 64) return DType::f64;
    if (code == Float && type.bits == 16) return DType::f16;
    if (code == Bfloat && type.bits == 16) return DType::bf16;
    if (code == Int && type.bits == 32) return DType::i32;
    if (code == Int && type.bits == 64) return DType::i64;
    if (code == UInt && type.bits == 8) return DType::u8;
    if (code == Bool && type.bits == 8) return DType::boolean;
  }
  fail(
      {Fault::data, Code::bad_shape},
      "{}: got an array of DLPack type {} with {} bits, expected float32, float64, float16, bfloat16, int32, "
      "int64, uint8 or bool",
      name, static_cast<int>(type.code), static_cast<int>(type.bits));
}

Shape shape_of_array(const Array& array, std::string_view name) {
  require(array.ndim() <= Shape::kMaxRank, Code::bad_shape,
          "{}: got an array with {} axes, expected at most {}", name, array.ndim(), Shape::kMaxRank);
  std::array<int64_t, Shape::kMaxRank> sizes{};
  for (size_t axis = 0; axis < array.ndim(); ++axis) sizes[axis] = static_cast<int64_t>(array.shape(axis));
  return Shape(std::span<const int64_t>(sizes.data(), array.ndim()));
}

Tensor tensor_of(const Array& array, std::string_view name, DType dtype, bool keep_bf16) {
  const DType from = dtype_of_array(array, name);
  const Shape shape = shape_of_array(array, name);
  require(is_float(from), Code::bad_shape, "{}: got an array of {}, expected floating-point numbers", name,
          name_of(from));
  if (keep_bf16 && from == DType::bf16) dtype = DType::bf16;
  if (from != dtype || !in_order(array) || !aligned(array, dtype) || shape.numel() == 0) {
    return copy_of(array, shape, from, dtype);
  }
  auto* data = const_cast<std::byte*>(static_cast<const std::byte*>(array.data()));
  // The last tensor on this memory can be released by any thread, with or without the GIL.
  std::shared_ptr<std::byte> memory(data, [kept = new Array(array)](std::byte*) {
    if (exit_began()) return;
    const WithGil gil;
    delete kept;
  });
  return Tensor::over(std::move(memory), shape, dtype);
}

std::vector<int32_t> integers_of(const Array& array, std::string_view name) {
  const DType from = dtype_of_array(array, name);
  const Shape shape = shape_of_array(array, name);
  require(from == DType::i32 || from == DType::i64 || from == DType::u8, Code::bad_shape,
          "{}: got an array of {}, expected int32 or int64", name, name_of(from));
  std::vector<int64_t> wide(static_cast<size_t>(shape.numel()));
  converted(array, from, wide.data());
  std::vector<int32_t> narrow;
  narrow.reserve(wide.size());
  for (const int64_t value : wide) {
    require(std::in_range<int32_t>(value), "{}: got {}, expected a number that fits in int32", name, value);
    narrow.push_back(static_cast<int32_t>(value));
  }
  return narrow;
}

nb::object array_of(const Tensor& tensor) {
  Tensor whole = tensor.contiguous() ? tensor : tensor.clone();
  if (whole.dtype() == DType::bf16 || whole.dtype() == DType::f16) {
    Tensor wide = Tensor::empty(whole.shape());
    std::ranges::copy(whole.values(), wide.data<float>().begin());
    whole = wide;
  }
  nb::dlpack::dtype type;
  switch (whole.dtype()) {
    case DType::f64:
      type = nb::dtype<double>();
      break;
    case DType::i32:
      type = nb::dtype<int32_t>();
      break;
    case DType::i64:
      type = nb::dtype<int64_t>();
      break;
    case DType::u8:
      type = nb::dtype<uint8_t>();
      break;
    case DType::boolean:
      type = nb::dtype<bool>();
      break;
    default:
      type = nb::dtype<float>();
  }
  std::vector<size_t> sizes;
  for (const int64_t size : whole.shape().sizes()) sizes.push_back(static_cast<size_t>(size));
  auto* kept = new Tensor(std::move(whole));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Tensor*>(memory); });
  return nb::cast(
      nb::ndarray<nb::numpy>(kept->view().data, sizes.size(), sizes.data(), owner, nullptr, type));
}

int64_t copied_arrays() { return copies; }

}  // namespace locus::python
