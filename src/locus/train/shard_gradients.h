// Gradients of the shards of a step, added in a fixed binary tree over the number of the shard (dist/tree.h).
// The sum has the same bits for any division of the shards among ranks. At most log2(shards) sums wait at a
// time, or twice that in the middle of a step that several processes share.
#pragma once

#include <utility>
#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/dist/tree.h"

namespace locus {

// Replaces `into` by the sum. A shard that does not depend on the parameter has no tensor.
void add_gradient(Tensor& into, const Tensor& from);

class ShardGradients {
 public:
  // The sums of the shards [first, end) of a step. The parameters must outlive this object, and have no
  // gradients.
  ShardGradients(Parameters& parameters, int64_t shards, int64_t first, int64_t end);
  // All shards of a step.
  ShardGradients(Parameters& parameters, int64_t shards) : ShardGradients(parameters, shards, 0, shards) {}

  // Takes the gradient that parameter i has collected, as that of the next shard. It is cleared. The
  // parameter must not get another gradient in this shard.
  void take(size_t i);
  // Takes those of all other parameters: the shard is complete.
  void take();
  // After the last shard: the parameters get the first of their sums as their gradients. With all shards of a
  // step, there is only one.
  void finish();

  // The subtrees of parameter i that are added completely, and their sums. A shard may have none.
  using Sum = dist::TreeSum<Tensor, void (*)(Tensor&, const Tensor&)>;
  std::vector<std::pair<dist::Subtree, Tensor>>& left(size_t i) { return sums_[i].left(); }

 private:
  Parameters& parameters_;
  const int64_t end_;
  int64_t next_;
  std::vector<Sum> sums_;    // of each parameter
  std::vector<bool> taken_;  // from the next shard
};

}  // namespace locus
