#include "locus/train/shard_gradients.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/kernel/kernels.h"

namespace locus {

void add_gradient(Tensor& into, const Tensor& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  kernels(into.device()).add({.a = into.view(), .b = from.view(), .out = into.view()});
}

ShardGradients::ShardGradients(Parameters& parameters, int64_t shards, int64_t first, int64_t end)
    : parameters_(parameters),
      end_(end),
      next_(first),
      sums_(parameters.all().size(), Sum(static_cast<int>(shards), add_gradient)),
      taken_(parameters.all().size()) {}

void ShardGradients::take(size_t i) {
  Var leaf = parameters_.all()[i].var;
  Tensor gradient = leaf.grad();
  leaf.clear_grad();
  // The sum is added in place, which must not change a tensor that somebody else keeps.
  if (gradient && !gradient.unshared()) gradient = gradient.clone();
  sums_[i].take({static_cast<int>(next_), 0}, std::move(gradient));
  taken_[i] = true;
}

void ShardGradients::take() {
  require(next_ < end_, "shards: got shard {}, expected at most {}", next_, end_ - 1);
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) {
      take(i);
    } else if (parameters_.all()[i].var.grad()) {
      fail(Fault::bug, "parameter {} got a gradient after its gradient was complete",
           parameters_.all()[i].name);
    }
  }
  taken_.assign(taken_.size(), false);
  ++next_;
}

void ShardGradients::finish() {
  require(next_ == end_, "shards: the next one is {}, expected that all before {} were taken", next_, end_);
  for (size_t i = 0; i < sums_.size(); ++i) {
    const Tensor gradient = std::exchange(left(i).front().second, Tensor());
    if (gradient) parameters_.all()[i].var.accumulate(gradient);
  }
}

}  // namespace locus
