// Shared by the schemes over distances: the span of distances in a batch, and tables over that span.
#pragma once

#include <functional>
#include <mutex>

#include "locus/scheme/placement.h"

namespace locus {

inline constexpr int64_t kMostDistances = int64_t{1} << 24;  // in a span

// All distances from the smallest to the largest in a batch; zero is always included. Column c of a table
// over the span belongs to distance c + least. A value depends only on its own distance, never on the rest of
// the span, so the other sequences of a batch have no influence. Throws if the positions of one sequence are
// so far apart that a table over them would be too large.
struct DistanceSpan {
  int64_t least = 0, most = 0;

  explicit DistanceSpan(const Placement& placement);
  DistanceSpan(int64_t first, int64_t last) : least(first), most(last) {}
  int64_t size() const { return most - least + 1; }
  int64_t zero() const { return -least; }
};

// Caches a table [H, S] that a scheme derives from constants or frozen parameters, over every distance that a
// pass has needed so far and some more. So a text that grows token by token does not compute it every time.
class DistanceCache {
 public:
  // The table over the span of the placement; make(span) computes one. If not `frozen`, it is computed in
  // every pass.
  DistanceTerm find(const Placement& placement, bool frozen,
                    const std::function<Var(const DistanceSpan&)>& make);

 private:
  std::mutex mutex_;  // guards the others
  DistanceSpan span_ = {0, -1};
  Var table_;
};

// [S]: slot(d) for every distance d of the span.
Indices slot_map(const DistanceSpan& span, const std::function<int64_t(int64_t)>& slot);

// [H, S] with the dtype and device of `like`: value(h, d), rounded once.
Tensor distance_table(const DistanceSpan& span, const Tensor& like, int64_t heads,
                      const std::function<double(int64_t, int64_t)>& value);

// [H, S] from a table [slots, H]: for every distance the row of its slot, transposed so that heads come
// first. The gradient of a row is summed in the order of distances, in double.
Var gather_by_head(const Var& table, const Indices& slots);

}  // namespace locus
