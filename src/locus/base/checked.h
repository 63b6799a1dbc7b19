// Overflow-checked arithmetic on sizes. Every size that comes from a file or a caller goes through it.
#pragma once

#include <cstdint>

#include "locus/base/error.h"

namespace locus {

inline int64_t checked_multiply(int64_t a, int64_t b, const char* what) {
  int64_t product = 0;
  require(!__builtin_mul_overflow(a, b, &product), "{} overflows 63 bits: got {} x {}", what, a, b);
  return product;
}

inline int64_t checked_add(int64_t a, int64_t b, const char* what) {
  int64_t sum = 0;
  require(!__builtin_add_overflow(a, b, &sum), "{} overflows 63 bits: got {} + {}", what, a, b);
  return sum;
}

inline int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace locus
