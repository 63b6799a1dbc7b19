// From Args on the host to parameters and launches.
#pragma once

#include <span>

#include "locus/kernel/cuda/index.h"
#include "locus/kernel/cuda/params.h"
#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/view.h"

namespace locus::kernel::cuda {

// Runs the kernel "IMAGE/NAME", the function locus_NAME of IMAGE.cu. The grid counts blocks of kThreads
// threads.
void launch(const char* name, std::array<int64_t, 3> grid, std::span<const std::byte> params);
template <class Params>
void launch(const char* name, std::array<int64_t, 3> grid, const Params& params) {
  launch(name, grid, std::as_bytes(std::span(&params, 1)));
}
// For kernels that go over all elements in steps of the grid, with map() or with each().
template <class Params>
void launch_map(const char* name, int64_t elements, const Params& params) {
  launch(name, {smaller(divided_up(elements, kMapped * kThreads), int64_t{1} << 20), 1, 1}, params);
}
template <class Params>
void launch_elements(const char* name, int64_t elements, const Params& params) {
  launch(name, {smaller(divided_up(elements, kThreads), int64_t{1} << 20), 1, 1}, params);
}

// Memory of the GPU for one call of a kernel. The next call for the same use may overwrite it.
enum class Scratch { sums, rooms };
void* scratch(Scratch use, int64_t bytes);

inline In in(ConstView view) {
  if (!view) return {};
  return {view.address<float>(), view.rows, view.cols, view.stride};
}
inline Out out(View view) {
  if (!view) return {};
  return {view.address<float>(), view.rows, view.cols, view.stride};
}
// A view of one row; null if absent.
inline const float* vector(ConstView view) { return view ? view.address<float>() : nullptr; }
inline float* vector(View view) { return view ? view.address<float>() : nullptr; }
inline const int32_t* integers(ConstView view) { return view ? view.address<int32_t>() : nullptr; }

// Matrices of the same shape become one row each if all are contiguous: then no index is divided.
template <class... T>
void flatten(Matrix<T>&... matrices) {
  if (!((matrices.rows <= 1 || matrices.stride == matrices.cols) && ...)) return;
  ((matrices = {matrices.data, 1, matrices.rows * matrices.cols, matrices.rows * matrices.cols}), ...);
}

Dropout dropout_of(float rate, uint64_t seed, uint64_t stream);

}  // namespace locus::kernel::cuda
