// From Args on the host to parameters and launches.
#pragma once

#include <mutex>
#include <span>
#include <type_traits>

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
  static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= 4096);  // as every GPU takes them
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

// Memory of the GPU for the launches of one call. As long as an object of this class exists, no other thread
// has one for the same use. Launches of later calls run later, so they may overwrite the memory.
enum class Use { sums, rooms };
class Scratch {
 public:
  Scratch(Use use, int64_t bytes);
  locus::cuda::Address address() const { return address_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }

 private:
  std::unique_lock<std::mutex> lock_;
  locus::cuda::Address address_;
};

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
