// Finds the rows that are most similar to queries, by cosine. The search is exact: f32 products of all rows
// with all queries select the candidates, with a margin for their rounding, and the candidates are compared
// in double. Results depend neither on how the rows are split into blocks, nor on the other queries, nor on
// the threads.
#pragma once

#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

struct NearRow {
  int64_t row = 0;
  double score = 0;  // cosine(); 0 if the row or the query is zero
};

class NearestRows {
 public:
  // queries: f32 [queries, C]. Keeps the `top` best rows of each.
  NearestRows(const Tensor& queries, size_t top);

  // Looks at a block f32 [rows, C], whose first row has the number `first`. The chunks of one parallel_for()
  // may add blocks at the same time. Throws for a row with a number that is not finite.
  void add(const Tensor& block, int64_t first);

  // For each query its best rows, most similar first, ties by row number.
  std::vector<std::vector<NearRow>> best() const;

 private:
  using Rows = std::vector<NearRow>;  // a heap with the worst one in front

  void take(size_t query, const Tensor& block, std::span<const float> products,
            std::span<const float> inverse_lengths, int64_t first);

  Tensor queries_, unit_;  // as given, and scaled to length one
  size_t top_;
  float margin_;
  std::vector<std::vector<Rows>> heaps_;  // by thread, then by query
};

}  // namespace locus
