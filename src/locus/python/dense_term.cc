#include "locus/python/dense_term.h"

#include <array>

#include "locus/base/parallel.h"

namespace locus::python {
namespace {

// The dtypes of kernels.
template <class F>
void visit_number(DType dtype, F&& f) {
  dtype == DType::f64 ? f(double{}) : f(float{});
}

}  // namespace
DenseTerm::DenseTerm(CallerMemory& memory, const Array& array, const AttentionLayout& layout, int64_t heads,
                     int64_t batch, int64_t queries, int64_t keys)
    : heads_(heads), queries_(queries), keys_(keys) {
  if (batch < 0) {
    memory.shaped(array, "dense", {heads, layout.pairs()});
    view_ = memory.numbers(array, "dense");
    return;
  }
  const Shape shape = shape_of_array(array, "attention: dense");
  require(shape.rank() == 4 && (shape[0] == 1 || shape[0] == batch) && (shape[1] == 1 || shape[1] == heads) &&
              shape[2] == queries && shape[3] == keys,
          Code::bad_shape, "attention: dense has shape {}, expected [1 or {}, 1 or {}, {}, {}]", shape, batch,
          heads, queries, keys);
  own_batch_ = shape[0] > 1, own_heads_ = shape[1] > 1 || heads == 1;
  const DType dtype = dtype_of_array(array, "attention: dense");
  require(dtype == memory.dtype(), Code::bad_shape, "attention: dense is {}, expected {} as q",
          name_of(dtype), name_of(memory.dtype()));
  packed_ = Tensor::empty({heads, layout.pairs()}, memory.dtype(), memory.device());
  view_ = packed_.view();
  pack(array, layout);
}

template <class F>
void DenseTerm::each_row(const AttentionLayout& layout, int64_t head, const std::array<int64_t, 4>& strides,
                         F&& f) const {
  const kernel::SequenceViews views = layout.views();
  const auto *q = views.query_starts.as<int32_t>(), *k = views.key_starts.as<int32_t>();
  int64_t pair = 0;
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    const int64_t count = k[s + 1] - k[s];
    if (count == 0) continue;
    for (int64_t i = q[s]; i < q[s + 1]; ++i, pair += count) {
      const int64_t row = layout.query_row(i), b = row / queries_;
      f((own_batch_ ? b : 0) * strides[0] + (own_heads_ ? head : 0) * strides[1] +
            row % queries_ * strides[2],
        pair, int64_t{k[s]}, count, b);
    }
  }
}

void DenseTerm::pack(const Array& array, const AttentionLayout& layout) {
  std::array<int64_t, 4> strides{};
  for (size_t axis = 0; axis < 4; ++axis) strides[axis] = array.stride(axis);
  visit_number(packed_.dtype(), [&]<class T>(T) {
    const auto* from = static_cast<const T*>(array.data());
    parallel_for(heads_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h) {
        T* to = packed_.view().row<T>(h);
        each_row(layout, h, strides,
                 [&](int64_t offset, int64_t pair, int64_t key, int64_t count, int64_t b) {
                   for (int64_t j = 0; j < count; ++j)
                     to[pair + j] = from[offset + (layout.key_row(key + j) - b * keys_) * strides[3]];
                 });
      }
    });
  });
}

View DenseTerm::gradient(View out) {
  if (!packed_) return out;
  gradient_ = packed_.like(packed_.shape());
  return gradient_.view();
}

void DenseTerm::add_up(const AttentionLayout& layout, View out) const {
  if (!gradient_) return;
  const int64_t matrix = queries_ * keys_, blocks = own_heads_ ? heads_ : 1;
  visit_number(out.dtype, [&]<class T>(T) {
    T* const to = out.as<T>();
    std::fill_n(to, out.numel(), T{});
    parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t h = own_heads_ ? begin : 0; h < (own_heads_ ? end : heads_); ++h) {
        const T* from = gradient_.view().row<T>(h);
        each_row(layout, h, {blocks * matrix, matrix, keys_, 1},
                 [&](int64_t offset, int64_t pair, int64_t key, int64_t count, int64_t b) {
                   for (int64_t j = 0; j < count; ++j)
                     to[offset + layout.key_row(key + j) - b * keys_] += from[pair + j];
                 });
      }
    });
  });
}

}  // namespace locus::python
