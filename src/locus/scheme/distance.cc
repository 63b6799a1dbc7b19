#include "locus/scheme/distance.h"

#include <algorithm>
#include <vector>

#include "locus/kernel/element.h"
#include "locus/kernel/kernels.h"
#include "locus/scheme/host_table.h"

namespace locus {

using kernel::put;

DistanceSpan::DistanceSpan(const Placement& placement) {
  const auto [first, last] = placement.distances();
  least = std::min<int64_t>(first, 0);
  most = std::max<int64_t>(last, 0);
  require(size() <= kMostDistances, Code::bad_position,
          "positions of one sequence are too far apart: got distances from {} to {}, expected a span of at "
          "most {}",
          least, most, kMostDistances);
}

DistanceTerm DistanceCache::find(const Placement& placement, bool frozen,
                                 const std::function<Var(const DistanceSpan&)>& make) {
  const DistanceSpan span(placement);
  const std::lock_guard lock(mutex_);
  if (!frozen) {
    table_ = {};
    span_ = {0, -1};
    return {make(span), span.zero()};
  }
  if (!table_ || span.least < span_.least || span.most > span_.most) {
    const int64_t factor = span.size() < kMostDistances / 2 ? 2 : 1;
    const DistanceSpan wider = {std::min(factor * span.least, span_.least),
                                std::max(factor * span.most, span_.most)};
    table_ = make(wider);
    span_ = wider;
  }
  const int64_t first = span.least - span_.least;
  return {Var(table_.value().columns(first, first + span.size())), span.zero()};
}

Indices slot_map(const DistanceSpan& span, const std::function<int64_t(int64_t)>& slot) {
  std::vector<int32_t> slots;
  slots.reserve(static_cast<size_t>(span.size()));
  for (int64_t d = span.least; d <= span.most; ++d) slots.push_back(static_cast<int32_t>(slot(d)));
  return Indices::of(slots);
}

Tensor distance_table(const DistanceSpan& span, const Tensor& like, int64_t heads,
                      const std::function<double(int64_t, int64_t)>& value) {
  const Tensor table = host_table(like, {heads, span.size()});
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t d = span.least; d <= span.most; ++d) put(table.view(), h, d - span.least, value(h, d));
  }
  return table.on(like.device());
}

Var gather_by_head(const Var& table, const Indices& slots) {
  const Tensor from = table.value(), out = from.like({from.size(1), slots.numel()});
  kernels(from.device())
      .gather_columns({.table = from.view(), .ids = slots.view(from.device()), .out = out.view()});
  return record(out, {table}, [=](const Tensor& dy) {
    const Tensor gradient = dy.like(table.shape());
    kernels(dy.device())
        .gather_columns_backward(
            {.dout = dy.view(), .ids = slots.view(dy.device()), .dtable = gradient.view()});
    table.accumulate(gradient);
  });
}

}  // namespace locus
