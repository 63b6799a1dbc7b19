#include "locus/op/sequence_views.h"

namespace locus::op {

kernel::SequenceViews views_of(const Sequences& s, Device device) {
  return {s.query_starts.view(device), s.key_starts.view(device), s.query_positions.view(device),
          s.key_positions.view(device), s.contiguous};
}

int64_t pairs(const Sequences& s) {
  const auto q = s.query_starts.values(), k = s.key_starts.values();
  int64_t total = 0;
  for (size_t b = 0; b + 1 < q.size(); ++b) total += int64_t{q[b + 1] - q[b]} * (k[b + 1] - k[b]);
  return total;
}

}  // namespace locus::op
