#include "locus/python/caller_memory.h"

#include <cstring>
#include <string>

namespace nb = nanobind;

namespace locus::python {
namespace {

// Takes the place of the memory of an empty array, because a view without memory is an absent argument.
alignas(64) std::byte no_elements[64];

std::byte* memory_of(const Array& array) {
  if (array.size() == 0) return no_elements;
  return const_cast<std::byte*>(static_cast<const std::byte*>(array.data()));
}

// Whether the axes from `first` on are contiguous.
bool contiguous_from(const Array& array, size_t first) {
  int64_t expected = 1;
  for (size_t axis = array.ndim(); axis-- > first;) {
    const auto size = static_cast<int64_t>(array.shape(axis));
    if (size != 1 && array.stride(axis) != expected) return false;
    expected *= size;
  }
  return true;
}

template <class T>
std::vector<T> whole(const Array& array, std::string_view function, std::string_view name) {
  require(array.size() == 0 || contiguous_from(array, 0), Code::bad_shape,
          "{}: {} has gaps or is transposed, expected a contiguous array", function, name);
  std::vector<T> values(array.size());
  if (!values.empty()) std::memcpy(values.data(), array.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

ConstView CallerMemory::numbers(const Array& array, std::string_view name) {
  const std::string place = fmt::format("{}: {}", function_, name);
  const DType dtype = dtype_of_array(array, place);
  require(dtype == DType::f32 || dtype == DType::f64, Code::bad_shape, "{} is {}, expected f32 or f64", place,
          name_of(dtype));
  require(!dtype_ || *dtype_ == dtype, Code::bad_shape, "{} is {}, expected {} as the arrays before it",
          place, name_of(dtype), name_of(*dtype_));
  dtype_ = dtype;
  const Shape shape = shape_of_array(array, place);
  require(shape.rank() >= 1, Code::bad_shape, "{} is a single number, expected an array", place);
  const int64_t rows = shape.rank() == 1 ? 1 : shape[0], cols = rows == 0 ? 0 : shape.numel() / rows;
  ConstView view = {memory_of(array), dtype, device(), rows, cols, cols};
  if (shape.numel() == 0) return view;
  require(contiguous_from(array, shape.rank() == 1 ? 0 : 1), Code::bad_shape,
          "{} with shape {} has gaps within its rows, expected that all axes but the first are contiguous",
          place, shape);
  if (rows > 1) view.stride = array.stride(0);
  require(rows <= 1 || view.stride >= cols, Code::bad_shape,
          "{} has a row stride of {}, expected at least {}", place, view.stride, cols);
  require(reinterpret_cast<uintptr_t>(view.data) % static_cast<uintptr_t>(size_of(dtype)) == 0,
          Code::bad_shape, "{} is not aligned, expected an address divisible by {}", place, size_of(dtype));
  return view;
}

View CallerMemory::output(const Output& array, std::string_view name) {
  const ConstView view = numbers(Array(array), name);
  return {const_cast<std::byte*>(view.data), view.dtype, view.device, view.rows, view.cols, view.stride};
}

std::vector<int32_t> CallerMemory::integers(const Array& array, std::string_view name) const {
  const DType dtype = dtype_of_array(array, name);
  require(dtype == DType::i32, Code::bad_shape, "{}: {} is {}, expected i32", function_, name,
          name_of(dtype));
  return whole<int32_t>(array, function_, name);
}

std::vector<uint8_t> CallerMemory::booleans(const Array& array, std::string_view name) const {
  const DType dtype = dtype_of_array(array, name);
  require(dtype == DType::boolean || dtype == DType::u8, Code::bad_shape, "{}: {} is {}, expected bool",
          function_, name, name_of(dtype));
  return whole<uint8_t>(array, function_, name);
}

void CallerMemory::shaped(const Array& array, std::string_view name, const Shape& shape) const {
  const Shape given = shape_of_array(array, name);
  require(given == shape, Code::bad_shape, "{}: {} has shape {}, expected {}", function_, name, given, shape);
}

void CallerMemory::ids(std::span<const int32_t> ids, std::string_view name, int64_t size, Code code) const {
  for (size_t n = 0; n < ids.size(); ++n) {
    require(ids[n] >= 0 && ids[n] < size, code, "{}: {} has {} at index {}, expected 0 to {}", function_,
            name, ids[n], n, size - 1);
  }
}

}  // namespace locus::python
