// Gathers rows of a table by id, and the reverse. The caller has checked the ids.
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

}  // namespace locus::kernel
