// What the register tile of the matrix product (tile-inl.h) works on.
#pragma once

#include <cstdint>

namespace locus::kernel::cpu {

// Memory that will be needed soon: what follows of b comes from far away, so tiles ask for it as they go.
struct Ahead {
  const char* at = nullptr;
  int64_t bytes = 0;
};

// A run of `count` tiles, one below the other: each has the panel of a that is `apart` numbers further on
// than the one before, and the rows that follow of c and `from`.
template <class Number>
struct TileRun {
  const Number* a;
  const Number* b;
  int64_t depth;  // at least 1
  float* c;
  int64_t stride;               // of c's rows
  const float* from = nullptr;  // what the sums start from, rows `from_stride` apart: often c; null for zeros
  int64_t from_stride = 0;
  int64_t count = 1, apart = 0;  // count at least 1
  Ahead ahead = {};
};

}  // namespace locus::kernel::cpu
