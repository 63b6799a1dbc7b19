// How elementwise work is split among threads: into pieces of about 16K elements, which are parts of a row or
// several short rows. The split depends on the shape only. Views with contiguous rows count as one long row.
#pragma once

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/tensor/view.h"

namespace locus::kernel::cpu {

inline constexpr int64_t kPieceSize = 16 * 1024;

// Rows of this width per piece, at least one.
constexpr int64_t row_grain(int64_t cols) {
  return std::max<int64_t>(1, kPieceSize / std::max<int64_t>(1, cols));
}

struct Extent {
  int64_t rows, cols;
};

// The rows and columns to process, for views of one shape.
template <class... Others>
Extent extent_of(ConstView first, const Others&... others) {
  if (first.contiguous() && (others.contiguous() && ...)) return {1, first.numel()};
  return {first.rows, first.cols};
}

// Calls f(r, begin, end) for ranges of columns that together cover every row.
template <class F>
void each_piece(Extent extent, F&& f) {
  const int64_t per_row = divide_up(extent.cols, kPieceSize);
  parallel_for(extent.rows * per_row, row_grain(extent.cols), [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece % per_row * kPieceSize;
      f(piece / per_row, begin, std::min(extent.cols, begin + kPieceSize));
    }
  });
}

}  // namespace locus::kernel::cpu
