// Reads and writes f32, f64 or bf16 elements as double: for reference kernels, and for the small tables of
// schemes.
#pragma once

#include "locus/tensor/view.h"

namespace locus::kernel {

// Element (r, c) as double.
inline double at(ConstView view, int64_t r, int64_t c) {
  if (view.dtype == DType::bf16) return to_f32(view.row<Bf16>(r)[c]);
  return view.dtype == DType::f32 ? view.row<float>(r)[c] : view.row<double>(r)[c];
}
inline double at(ConstView view, int64_t c) { return at(view, 0, c); }

inline void put(View view, int64_t r, int64_t c, double value) {
  if (view.dtype == DType::f32) {
    view.row<float>(r)[c] = static_cast<float>(value);
  } else if (view.dtype == DType::bf16) {
    view.row<Bf16>(r)[c] = to_bf16(static_cast<float>(value));
  } else {
    view.row<double>(r)[c] = value;
  }
}
inline void put(View view, int64_t c, double value) { put(view, 0, c, value); }

// Calls f(r, c) for every element in order.
template <class F>
void each(ConstView view, F&& f) {
  if (view.cols == 0) return;  // for any number of rows
  for (int64_t r = 0; r < view.rows; ++r) {
    for (int64_t c = 0; c < view.cols; ++c) f(r, c);
  }
}

}  // namespace locus::kernel
