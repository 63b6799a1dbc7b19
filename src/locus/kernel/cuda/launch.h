// From Args on the host to parameters and launches.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <span>
#include <type_traits>

#include "locus/kernel/cuda/index.h"
#include "locus/kernel/cuda/params.h"
#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/view.h"

namespace locus::kernel::cuda {

// Runs the kernel "IMAGE/NAME", the function locus_NAME of IMAGE.cu, in blocks of kThreads threads unless
// said otherwise. A kernel takes the same shared memory at every launch.
void launch_as(const char* name, const locus::cuda::Launch&, std::span<const std::byte> params);
template <class Params>
void launch_as(const char* name, const locus::cuda::Launch& how, const Params& params) {
  static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= 4096);  // as every GPU takes them
  launch_as(name, how, std::as_bytes(std::span(&params, 1)));
}
template <class Params>
void launch(const char* name, std::array<int64_t, 3> grid, const Params& params) {
  launch_as(name, {.grid = grid, .threads = kThreads}, params);
}
inline constexpr int64_t kMostBlocks = 65535;  // of a grid along y and z
// For kernels that go over all elements in steps of the grid, with each_eight() or with each().
template <class Params>
void launch_eights(const char* name, int64_t rows, int64_t cols, const Params& params) {
  const int64_t eights = rows * divided_up(cols, 8);
  launch(name, {smaller(divided_up(eights, kThreads), int64_t{1} << 20), 1, 1}, params);
}
template <class Params>
void launch_elements(const char* name, int64_t elements, const Params& params) {
  launch(name, {smaller(divided_up(elements, kThreads), int64_t{1} << 20), 1, 1}, params);
}

// For kernels that have a row in a warp (NAME_narrow) or in a block (NAME_wide).
template <class Params>
void launch_rows(const char* name, int64_t rows, int64_t cols, const Params& params) {
  const bool narrow = cols <= kNarrow;
  launch(fmt::format("{}_{}", name, narrow ? "narrow" : "wide").c_str(),
         {narrow ? divided_up(rows, kThreads / 32) : rows, 1, 1}, params);
}
// The same with a block for a part of the rows.
template <class Params>
void launch_parts(const char* name, int64_t parts, int64_t cols, const Params& params) {
  launch(fmt::format("{}_{}", name, cols <= kNarrow ? "narrow" : "wide").c_str(), {parts, 1, 1}, params);
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
inline NumbersIn numbers(ConstView view) {
  if (!view) return {};
  const bool bf16 = view.dtype == DType::bf16;
  if (!bf16) view.address<float>();  // fails for any other dtype
  const bool wide =
      reinterpret_cast<uintptr_t>(view.data) % 16 == 0 && (view.stride % 8 == 0 || view.rows <= 1);
  return {reinterpret_cast<const char*>(view.data), view.rows, view.cols, view.stride, bf16, wide};
}
inline NumbersOut numbers(View view) {
  const NumbersIn in = numbers(ConstView(view));
  return {const_cast<char*>(in.data), in.rows, in.cols, in.stride, in.bf16, in.wide};
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

template <class... Byte>
void flatten(Numbers<Byte>&... all) {
  if (!((all.rows <= 1 || all.stride == all.cols) && ...)) return;
  const auto flat = [](auto& one) {
    const int64_t elements = one.rows * one.cols;
    one.wide = reinterpret_cast<uintptr_t>(one.data) % 16 == 0;
    one.rows = 1, one.cols = one.stride = elements;
  };
  (flat(all), ...);
}

Dropout dropout_of(float rate, uint64_t seed, uint64_t stream);

}  // namespace locus::kernel::cuda
