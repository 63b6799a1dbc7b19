#include "locus/tensor/indices.h"

#include <algorithm>
#include <mutex>

namespace locus {

struct Indices::State {
  Tensor values;
  std::once_flag ranged;
  Range range;
};

Indices::Indices(const Tensor& values) {
  if (!values) return;
  state_ = std::make_shared<State>();
  state_->values = values;
  shape_ = values.shape();
}

Indices Indices::of(const std::vector<int32_t>& values) {
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

DType Indices::dtype() const { return state_ ? state_->values.dtype() : DType::i32; }
bool Indices::contiguous() const { return !state_ || state_->values.contiguous(); }

std::span<const int32_t> Indices::values() const {
  if (!state_) return {};
  return state_->values.data<int32_t>();
}

Indices::Range Indices::range() const {
  if (!state_) return {};
  std::call_once(state_->ranged, [this] {
    const auto all = values();
    if (all.empty()) return;
    const auto [least, most] = std::ranges::minmax(all);
    state_->range = {least, most};
  });
  return state_->range;
}

Indices Indices::flat() const {
  Indices same = *this;
  if (state_) same.shape_ = state_->values.reshape({numel()}).shape();
  return same;
}

ConstView Indices::view(Device device) const {
  if (!state_) return {};
  ConstView view = state_->values.view();
  view.rows = shape_.rows();
  view.cols = view.stride = shape_.cols();
  view.device = device;
  return view;
}

}  // namespace locus
