// Column sums of [N, C] are computed in parts: part k sums its rows into row k of a workspace, then the parts
// are added in order. The split depends on N only, so the bits do not depend on the number of threads.
#pragma once

#include <cstdint>

namespace locus::kernel::cpu {

// Rows per part: at least 16, and enough that there are at most 16 parts.
constexpr int64_t partial_grain(int64_t rows) { return rows <= 16 * 16 ? 16 : (rows + 15) / 16; }
constexpr int64_t partial_chunks(int64_t rows) {
  return (rows + partial_grain(rows) - 1) / partial_grain(rows);
}

}  // namespace locus::kernel::cpu
