// The input of a model in one pass: rows of up to three tables added, normalised, dropped out.
//   x[n] = tokens[token_ids[n]] * token_scale + positions[position_ids[n]] + segments[segment_ids[n]]
//   y[n] = dropout(norm(x[n]))
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

struct EmbedTable {
  ConstView table;  // [rows, C]; absent for none
  ConstView ids;    // i32 [N]
};

struct EmbedArgs {
  EmbedTable tokens, positions, segments;
  float token_scale = 1;
  ConstView gamma, beta;  // [C]; gamma absent: no norm
  float eps = 0;
  bool rms = false;
  float dropout = 0;
  uint64_t seed = 0, stream = 0;
  View y;           // [N, C]
  View mean, rstd;  // [N]; absent when not wanted
};

// The gradient of the sum x, dropout and norm undone; the tables' gradients are scatter_add of it. x is
// gathered again, not stored.
struct EmbedBackwardArgs {
  EmbedArgs forward;   // as it was; mean and rstd hold what it wrote
  ConstView dy;        // [N, C]
  View dx;             // [N, C]
  View dgamma, dbeta;  // [C]; absent when not wanted
  View workspace;      // [2 * partial_chunks(N), C]
};

}  // namespace locus::kernel
