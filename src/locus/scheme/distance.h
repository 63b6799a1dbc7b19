// Shared by the schemes over distances: the span of distances in a batch, and tables over that span.
#pragma once

#include <functional>

#include "locus/scheme/placement.h"

namespace locus {

// All distances from the smallest to the largest in a batch; zero is always included. Column c of a table
// over the span belongs to distance c + least. A value depends only on its own distance, never on the rest of
// the span, so the other sequences of a batch have no influence. Throws if the positions of one sequence are
// so far apart that a table over them would be too large.
struct DistanceSpan {
  int64_t least = 0, most = 0;

  explicit DistanceSpan(const Placement& placement);
  int64_t size() const { return most - least + 1; }
  int64_t zero() const { return -least; }
};

// i32 [S]: slot(d) for every distance d of the span.
Tensor slot_map(const DistanceSpan& span, const std::function<int64_t(int64_t)>& slot);

// [H, S] with the dtype and device of `like`: value(h, d), rounded once.
Tensor distance_table(const DistanceSpan& span, const Tensor& like, int64_t heads,
                      const std::function<double(int64_t, int64_t)>& value);

// [H, S] from a table [slots, H]: for every distance the row of its slot, transposed so that heads come
// first. The gradient of a row is summed in the order of distances, in double.
Var gather_by_head(const Var& table, const Tensor& slots);

}  // namespace locus
