// Sums down the rows of [N, C] are made in parts: part k sums its own rows into row k of a workspace, then
// the parts are added in order. The cut depends on N alone, so the bits do not depend on the threads.
#pragma once

#include <cstdint>

namespace locus::kernel {

// Rows of a part: at least 16, and as many as leave no more than 16 parts.
constexpr int64_t partial_grain(int64_t rows) { return rows <= 16 * 16 ? 16 : (rows + 15) / 16; }
constexpr int64_t partial_chunks(int64_t rows) {
  return (rows + partial_grain(rows) - 1) / partial_grain(rows);
}

}  // namespace locus::kernel
