#include "locus/tensor/indices.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "locus/tensor/memory.h"

namespace locus {

struct Indices::State {
  Tensor values;
  std::once_flag ranged;
  Range range;
  // In the memory of other devices, made when a kernel there first needs them.
  std::array<std::once_flag, kMemories> copied;
  std::array<Tensor, kMemories> copies;

  ConstView view(Device device) {
    ConstView view = values.view();
    if (!on_host(device)) {
      const auto memory = static_cast<size_t>(memory_number(device));
      std::call_once(copied[memory], [&] { copies[memory] = values.on(device); });
      view = copies[memory].view();
    }
    view.device = device;
    return view;
  }
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
  ConstView view = state_->view(device);
  view.rows = shape_.rows();
  view.cols = view.stride = shape_.cols();
  return view;
}

}  // namespace locus
