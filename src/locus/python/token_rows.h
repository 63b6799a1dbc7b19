// Rows of tokens in the memory of a caller. A kernel reads and writes them in place, unless the mask has
// gaps: then they are gathered before it, and scattered after it.
#pragma once

#include <cstring>
#include <span>

#include "locus/tensor/tensor.h"

namespace locus::python {

// Rows of a caller that the kernel reads: in place, or gathered.
class InputRows {
 public:
  InputRows(ConstView given, bool gathered, std::span<const int32_t> rows) : view_(given) {
    if (!gathered) return;
    gathered_ = Tensor::empty({std::ssize(rows), given.cols}, given.dtype, given.device);
    view_ = gathered_.view();
    const int64_t size = size_of(given.dtype);
    for (size_t n = 0; n < rows.size(); ++n) {
      std::memcpy(gathered_.view().data + static_cast<int64_t>(n) * given.cols * size,
                  given.data + rows[n] * given.stride * size, static_cast<size_t>(given.cols * size));
    }
  }
  ConstView view() const { return view_; }

 private:
  ConstView view_;
  Tensor gathered_;
};

// Rows of a caller that the kernel writes: in place, or scattered by finish(). Rows without a token become
// zero.
class OutputRows {
 public:
  OutputRows(View given, bool gathered, std::span<const int32_t> rows)
      : given_(given), view_(given), rows_(rows) {
    if (!gathered || !given) return;
    gathered_ = Tensor::empty({std::ssize(rows), given.cols}, given.dtype, given.device);
    view_ = gathered_.view();
  }
  View view() const { return view_; }
  void finish() const {
    if (!gathered_) return;
    const int64_t size = size_of(given_.dtype);
    const auto bytes = static_cast<size_t>(given_.cols * size);
    for (int64_t n = 0; n < given_.rows; ++n) std::memset(given_.data + n * given_.stride * size, 0, bytes);
    for (size_t n = 0; n < rows_.size(); ++n) {
      std::memcpy(given_.data + rows_[n] * given_.stride * size,
                  gathered_.view().data + static_cast<int64_t>(n) * given_.cols * size, bytes);
    }
  }

 private:
  View given_, view_;
  std::span<const int32_t> rows_;
  Tensor gathered_;
};

}  // namespace locus::python
