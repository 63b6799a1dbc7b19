// Arguments of the register tile of the matrix product (tile-inl.h).
#pragma once

#include <cstdint>

namespace locus::kernel::cpu {

// Memory to prefetch: the next slice of b is not in the cache yet, so tiles prefetch it while they run.
struct PrefetchRange {
  const char* at = nullptr;
  int64_t bytes = 0;
};

// A run of `count` tiles, from top to bottom. Each tile uses the panel of a that is a_step elements after the
// previous one, and the next rows of c and of `from`.
template <class Number>
struct TileRun {
  const Number* a;
  const Number* b;
  int64_t depth;  // at least 1
  float* c;
  int64_t stride;               // row stride of c
  const float* from = nullptr;  // initial sums, rows `from_stride` apart (often c); null: zeros
  int64_t from_stride = 0;
  int64_t count = 1, a_step = 0;  // count at least 1
  PrefetchRange ahead = {};
};

}  // namespace locus::kernel::cpu
