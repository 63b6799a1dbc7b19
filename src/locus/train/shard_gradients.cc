#include "locus/train/shard_gradients.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/kernel/kernels.h"

namespace locus {

ShardGradients::ShardGradients(Parameters& parameters, int64_t shards)
    : parameters_(parameters), shards_(shards), sum_(static_cast<int>(shards), add) {}

void ShardGradients::add(Gradients& into, const Gradients& from) {
  for (size_t i = 0; i < into.size(); ++i) {
    if (!from[i]) continue;
    if (!into[i]) {
      into[i] = from[i];
      continue;
    }
    kernels(into[i].device()).add({.a = into[i].view(), .b = from[i].view(), .out = into[i].view()});
  }
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
