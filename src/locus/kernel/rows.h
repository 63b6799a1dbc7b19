// Gathers rows of a table by id, as rows or as columns, and the reverse. The caller has checked the ids.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

// out[n] = table[ids[n]]
struct GatherArgs {
  ConstView table;  // [V, C]
  ConstView ids;    // i32 [N]
  View out;         // [N, C]
};

// table[ids[n]] += factor * rows[n]. Rows are added in ascending n, so the sum of repeated ids has a fixed
// order.
struct ScatterAddArgs {
  ConstView rows;     // [N, C]
  ConstView ids;      // i32 [N]
  View table;         // [V, C]
  int32_t skip = -1;  // rows with this id are skipped
  float factor = 1;
};

// out[c, n] = table[ids[n], c]
struct GatherColumnsArgs {
  ConstView table;  // [V, C]
  ConstView ids;    // i32 [N]
  View out;         // [C, N]
};

// dtable[v, c] = sum of dout[c, n] over all n with ids[n] = v, in ascending n, in double
struct GatherColumnsBackwardArgs {
  ConstView dout;  // [C, N]
  ConstView ids;   // i32 [N]
  View dtable;     // [V, C]
};

}  // namespace locus::kernel
