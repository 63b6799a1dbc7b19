// Arrays of a caller as views for kernels, in place. Unlike tensor_of() (array.h) it never copies: an array
// that a kernel cannot read is an error. f32 is computed by the fast kernels, f64 by the reference.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/python/array.h"
#include "locus/tensor/view.h"

namespace locus::python {

// A view of ids; an absent one if there are none.
inline ConstView id_view(const std::vector<int32_t>& ids) {
  const auto count = static_cast<int64_t>(ids.size());
  return {reinterpret_cast<const std::byte*>(ids.data()), DType::i32, Device::cpu, 1, count, count};
}

using OptionalArray = std::optional<Array>;
using Output = nanobind::ndarray<nanobind::device::cpu>;  // an array to write to

// Checks the arrays of one call: all floating-point arrays have the dtype of the first one.
class CallerMemory {
 public:
  explicit CallerMemory(std::string_view function) : function_(function) {}

  // Rows of numbers, [N, ...]: everything but the first axis is contiguous and becomes one row. An array with
  // one axis is one row.
  ConstView numbers(const Array& array, std::string_view name);
  ConstView numbers(const OptionalArray& array, std::string_view name) {
    return array ? numbers(*array, name) : ConstView();
  }
  View output(const Output& array, std::string_view name);
  // Contiguous arrays of int32 and of bool, copied, so that no other thread can change them after they are
  // checked.
  std::vector<int32_t> integers(const Array& array, std::string_view name) const;
  std::vector<uint8_t> booleans(const Array& array, std::string_view name) const;

  // Fails unless the array has exactly these sizes.
  void shaped(const Array& array, std::string_view name, const Shape& expected) const;
  void shaped(const Output& array, std::string_view name, const Shape& expected) const {
    shaped(Array(array), name, expected);
  }
  // Fails unless all numbers are at least 0 and below `size`.
  void ids(std::span<const int32_t> ids, std::string_view name, int64_t size,
           Code code = Code::bad_token) const;

  DType dtype() const { return dtype_.value_or(DType::f32); }
  Device device() const { return dtype() == DType::f64 ? Device::reference : Device::cpu; }

 private:
  std::string_view function_;
  std::optional<DType> dtype_;
};

}  // namespace locus::python
