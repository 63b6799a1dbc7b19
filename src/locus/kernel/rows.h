// Rows of a table by number, and back. Ids are checked before they come here.
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

// table[ids[n]] += factor * rows[n], n ascending for every row, so repeated ids add up in one order
struct ScatterAddArgs {
  ConstView rows;     // [N, C]
  ConstView ids;      // i32 [N]
  View table;         // [V, C]
  int32_t skip = -1;  // rows of this id are left out
  float factor = 1;
};

}  // namespace locus::kernel
