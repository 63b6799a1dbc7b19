// The sum of one large gradient over the ranks of a training run. If its owner added it alone, all ranks
// would wait for the network of that rank. Instead each rank adds a slice, and sends the sum to the owner.
//
// Of a gradient of S bytes, rank r of R sends T S (R - 1) / R bytes in slices, with T subtrees left on it,
// and then S / R bytes to the owner.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "locus/dist/transport.h"
#include "locus/dist/tree.h"
#include "locus/tensor/tensor.h"

namespace locus {

struct SlicedSum {
  int64_t shards = 1;
  std::span<const std::vector<dist::Subtree>> left;  // subtrees that each rank has left
  int owner = 0;
  Tensor parameter;  // the sum has its shape

  // All ranks call this with the sums of their subtrees, which may have no tensor. Returns the total to the
  // owner, and no tensor to the others or if no subtree has one.
  Tensor operator()(dist::Transport& transport, std::vector<std::pair<dist::Subtree, Tensor>>& mine) const;
};

}  // namespace locus
