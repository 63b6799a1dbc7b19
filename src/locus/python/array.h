// Python arrays (numpy, torch, anything with DLPack or the buffer protocol) as tensors, and tensors as numpy
// arrays. Contiguous arrays of the expected dtype are used in place, others are copied and counted.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "locus/tensor/tensor.h"

namespace locus::python {

// An argument of a binding: any array in CPU memory, which may be read-only.
using Array = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

DType dtype_of_array(const Array& array, std::string_view name);
// The sizes of an array; fails if it has more than six.
Shape shape_of_array(const Array& array, std::string_view name);

// A tensor on the array's memory if it is contiguous and has this dtype; the tensor keeps the array alive.
// Otherwise a converted copy. Numbers convert to f32 and f64 only; bf16 arrays stay as they are if
// `keep_bf16`. Needs the GIL; the tensor may be released without it. `name` is the argument's name in errors.
Tensor tensor_of(const Array& array, std::string_view name, DType dtype = DType::f32, bool keep_bf16 = false);

// A copy of integers as int32, so that no other thread can change them after they are checked.
std::vector<int32_t> integers_of(const Array& array, std::string_view name);

// A numpy array on the memory of a tensor, which stays alive as long as the array. bf16 and f16 become f32.
// Needs the GIL.
nanobind::object array_of(const Tensor& tensor);

// The number of arguments that were copied since the module was imported.
int64_t copied_arrays();

}  // namespace locus::python
