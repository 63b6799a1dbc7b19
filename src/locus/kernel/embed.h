// The input of a model in one pass: rows of up to three tables added, normalised, dropped out.
//   x[n] = token_scale * tokens[token_ids[n]] + positions[position_ids[n]] + segments[segment_ids[n]]
//   y[n] = dropout(norm(x[n]))
// Joined, the position row stands behind the token row instead: x[n] = [scaled token row ; position row] +
// segment row.
#pragma once

#include <cstdint>

#include "locus/kernel/partial.h"
#include "locus/tensor/view.h"

namespace locus::kernel {

struct EmbedTable {
  ConstView table;  // [rows, C]; absent for none. Of tokens, forward, it may be bf16.
  ConstView ids;    // i32 [N]
};

struct EmbedArgs {
  EmbedTable tokens;     // always there
  EmbedTable positions;  // joined, its width and that of the tokens add up to C
  EmbedTable segments;
  bool joined = false;
  float token_scale = 1;
  ConstView gamma, beta;  // [C]; gamma absent: no norm; beta absent for none (always for rms)
  float eps = 0;
  bool rms = false;
  float dropout = 0;  // in [0, 1); an element's number is n C + c, as kernel dropout counts them in y
  uint64_t seed = 0, stream = 0;
  View y;           // [N, C]
  View mean, rstd;  // [N]; absent when not wanted. rms: no mean
};

// The gradient of the sum x, dropout and norm undone; the tables' gradients are scatter_add of it. x is
// gathered again, not stored.
struct EmbedBackwardArgs {
  EmbedArgs forward;   // as it was; mean and rstd hold what it wrote, without y
  ConstView dy;        // [N, C]
  View dx;             // [N, C]
  View dgamma, dbeta;  // [C]; absent when not wanted; overwritten
  View workspace;      // [embed_workspace(N), C], needed when there is a norm
};

// Rows of the workspace: those of the sums dgamma and dbeta, and one for the x that each part works on.
constexpr int64_t embed_workspace(int64_t rows) { return 3 * partial_chunks(rows); }

}  // namespace locus::kernel
