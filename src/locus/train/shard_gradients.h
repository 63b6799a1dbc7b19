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
  // Sums from shard `first` on, of all `shards` of the step. The parameters must outlive this object, and
  // have no gradients.
  ShardGradients(Parameters& parameters, int64_t shards, int64_t first = 0);

  // Takes the gradients that the parameters have collected, as those of the next shard. They are cleared.
  void take();
  // After the last shard, if this process computes all of them: the parameters have the sums as their
  // gradients.
  void finish();

  // A gradient for each parameter.
  using Gradients = std::vector<Tensor>;
  // The subtrees that are added completely, and their sums.
  std::vector<std::pair<dist::Subtree, Gradients>>& left() { return sum_.left(); }

 private:
  static void add(Gradients& into, const Gradients& from);

  Parameters& parameters_;
  const int64_t shards_;
  int64_t next_;
  dist::TreeSum<Gradients, void (*)(Gradients&, const Gradients&)> sum_;
};

}  // namespace locus
