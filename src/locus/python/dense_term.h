// A dense term of attention in the memory of a caller, [batch, heads, queries, keys], where batch and heads
// may be 1 for all. The kernel reads [H, P]: the blocks of the sequences, concatenated. Also the way back,
// for gradients.
#pragma once

#include "locus/python/attention_layout.h"
#include "locus/python/caller_memory.h"

namespace locus::python {

class DenseTerm {
 public:
  DenseTerm() = default;
  // batch -1: the caller has [H, P]. `queries` and `keys` are those of a row of the batch.
  DenseTerm(CallerMemory& memory, const Array& array, const AttentionLayout& layout, int64_t heads,
            int64_t batch, int64_t queries, int64_t keys);

  ConstView view() const { return view_; }
  // Memory for the gradient of view(), and its sum in the shape of the caller.
  View gradient(View out);
  void add_up(const AttentionLayout& layout, View out) const;

 private:
  // Calls f(offset in an array of the caller's shape and the given strides, index in the [H, P] row, count)
  // for every row of a block of head h.
  template <class F>
  void each_row(const AttentionLayout& layout, int64_t head, const std::array<int64_t, 4>& strides,
                F&& f) const;
  void pack(const Array& array, const AttentionLayout& layout);

  ConstView view_;
  Tensor packed_, gradient_;
  int64_t heads_ = 0, queries_ = 0, keys_ = 0;
  bool own_batch_ = false, own_heads_ = false;  // not 1 for all
};

}  // namespace locus::python
