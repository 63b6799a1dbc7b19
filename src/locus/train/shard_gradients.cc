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

ShardGradients::ShardGradients(Parameters& parameters, int64_t shards, int64_t first)
    : parameters_(parameters), shards_(shards), next_(first), sum_(static_cast<int>(shards), add) {}

void ShardGradients::add(Gradients& into, const Gradients& from) {
  for (size_t i = 0; i < into.size(); ++i) add_gradient(into[i], from[i]);
}

void ShardGradients::take() {
  Gradients gradients;
  for (const NamedParameter& parameter : parameters_.all()) {
    Var leaf = parameter.var;
    gradients.push_back(leaf.grad());
    leaf.clear_grad();
    // The sum is added in place, which must not change a tensor that somebody else keeps.
    if (gradients.back() && !gradients.back().unshared()) gradients.back() = gradients.back().clone();
  }
  sum_.take({static_cast<int>(next_++), 0}, std::move(gradients));
}

void ShardGradients::finish() {
  require(next_ == shards_, "shards: {} were taken, expected {}", next_, shards_);
  Gradients& total = sum_.left().front().second;
  for (size_t i = 0; i < total.size(); ++i) {
    const Tensor gradient = std::exchange(total[i], Tensor());
    if (gradient) parameters_.all()[i].var.accumulate(gradient);
  }
}

}  // namespace locus
