#include "locus/nn/pooling.h"

#include "locus/op/gather.h"
#include "locus/op/mean_rows.h"

namespace locus {
namespace {

// The first or the last token of every sequence.
Indices ends(const Placement& placement, bool first) {
  const auto starts = placement.sequences().query_starts.values();
  std::vector<int32_t> rows;
  for (size_t b = 0; b + 1 < starts.size(); ++b) {
    require(starts[b] < starts[b + 1], "pooling: sequence {} is empty, expected at least one token", b);
    rows.push_back(first ? starts[b] : starts[b + 1] - 1);
  }
  return Indices::of(rows);
}

}  // namespace

Var pooled(const Var& hidden, const Placement& placement, Pooling pooling) {
  return pooling == Pooling::mean ? op::mean_rows(hidden, placement.sequences().query_starts)
                                  : op::gather(hidden, ends(placement, pooling == Pooling::first));
}

}  // namespace locus
