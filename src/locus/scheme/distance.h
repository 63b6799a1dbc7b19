// What schemes over distances share: the span of distances in a batch, and tables over that span.
#pragma once

#include <functional>

#include "locus/scheme/placement.h"

namespace locus {

// The distances from the least to the most that occur, zero always among them: column c of a table over the
// span belongs to distance c + least. A value depends on its distance alone, never on the rest of the span,
// so batch mates change nothing. Positions so far apart that no table could span them are refused.
struct DistanceSpan {
  int64_t least = 0, most = 0;

  explicit DistanceSpan(const Placement& placement);
  int64_t size() const { return most - least + 1; }
  int64_t zero() const { return -least; }
};

// i32 [S]: slot(d) for every distance d of the span.
Tensor slot_map(const DistanceSpan& span, const std::function<int64_t(int64_t)>& slot);

// [H, S] of the kind of `like`: value(h, d), rounded once.
Tensor distance_table(const DistanceSpan& span, const Tensor& like, int64_t heads,
                      const std::function<double(int64_t, int64_t)>& value);

// [H, S] from a table [slots, H]: the row of every distance's slot, heads outermost. Gradients of a row are
// added in the order of distances, in double.
Var gather_by_head(const Var& table, const Tensor& slots);

}  // namespace locus
