// Whole numbers that the host chooses and kernels read: token ids, targets, positions, starts of sequences,
// rows and slots of tables. The host checks them, so their values stay in host memory; a kernel gets a view
// on its own device. The values never change.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

class Indices {
 public:
  Indices() = default;  // no indices: converts to false
  // Shares the memory of a host tensor, whose values must not change from now on. The ops that read the
  // indices check that they are i32 and contiguous.
  Indices(const Tensor& values);                          // NOLINT: a tensor of ids is a list of indices
  static Indices of(const std::vector<int32_t>& values);  // [number of values]

  explicit operator bool() const { return state_ != nullptr; }
  const Shape& shape() const { return shape_; }
  int64_t size(int axis) const { return shape_[axis]; }
  int64_t numel() const { return shape_.numel(); }
  DType dtype() const;
  bool contiguous() const;

  std::span<const int32_t> values() const;  // i32 and contiguous only
  struct Range {
    int32_t least = 0, most = -1;  // most < least: there are no values
  };
  Range range() const;  // of the values; found once

  bool same_as(const Indices& other) const { return state_ == other.state_; }  // the same list in memory
  Indices flat() const;  // the same values along one axis; contiguous only
  ConstView view(Device device) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  Shape shape_{0};
};

}  // namespace locus
