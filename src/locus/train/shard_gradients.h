// Gradients of the shards of a step, added in a fixed binary tree over the number of the shard (dist/tree.h).
// The sum has the same bits whoever computes which shards. At most log2(shards) sums wait at a time.
#pragma once

#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/dist/tree.h"

namespace locus {

class ShardGradients {
 public:
  // The parameters must outlive this object, and have no gradients.
  ShardGradients(Parameters& parameters, int64_t shards);

  // Takes the gradients that the parameters have collected, as those of the next shard. They are cleared.
  void take();
  // After the last shard: the parameters have the sums as their gradients.
  void finish();

 private:
  // A gradient for each parameter, or no tensor if the shard does not depend on it.
  using Gradients = std::vector<Tensor>;
  static void add(Gradients& into, const Gradients& from);

  Parameters& parameters_;
  const int64_t shards_;
  int64_t next_ = 0;
  dist::TreeSum<Gradients, void (*)(Gradients&, const Gradients&)> sum_;
};

}  // namespace locus
