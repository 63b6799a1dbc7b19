// The input embedding of a model in one pass: sum the rows of up to three tables, normalize, apply dropout.
//   x[n] = token_scale * tokens[token_ids[n]] + positions[position_ids[n]] + segments[segment_ids[n]]
//   y[n] = dropout(norm(x[n]))
// If `joined`, the position row is concatenated after the token row instead of added: x[n] = [scaled token
// row ; position row] + segment row.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

struct EmbedTable {
  ConstView table;  // [rows, C]; absent: no such table. The token table may be bf16 in the forward pass.
  ConstView ids;    // i32 [N]
};

struct EmbedArgs {
  EmbedTable tokens;     // required
  EmbedTable positions;  // if joined, its width plus the width of the tokens is C
  EmbedTable segments;
  bool joined = false;
  float token_scale = 1;
  ConstView gamma, beta;  // [C]; gamma absent: no norm; beta absent: no shift (always for rms)
  float eps = 0;
  bool rms = false;
  float dropout = 0;  // in [0, 1); the index of an element is n C + c, as for kernel dropout on y
  uint64_t seed = 0, stream = 0;
  View y;           // [N, C]
  View mean, rstd;  // [N]; absent if not needed. rms has no mean
};

// The gradient dx of the sum x, back through dropout and norm. The gradients of the tables are scatter_add of
// dx. x is gathered again instead of being stored.
struct EmbedBackwardArgs {
  EmbedArgs forward;   // the forward arguments; mean and rstd hold the forward results, y is not needed
  ConstView dy;        // [N, C]
  View dx;             // [N, C]
  View dgamma, dbeta;  // [C]; absent if not needed; overwritten
  View workspace;      // [embed_workspace(N), C]; needed if there is a norm
};

}  // namespace locus::kernel
