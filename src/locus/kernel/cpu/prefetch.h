// Asking for memory before it is needed: rows that are looked up lie anywhere, the CPU cannot foresee them.
#pragma once

#include <hwy/base.h>

#include <cstdint>

namespace locus::kernel::cpu {

// Brings n floats into the second-level cache; the first would have too few lines on their way at a time.
// Always inlined: a call that only fetches has no effect in g++'s eyes, and is removed.
HWY_INLINE void prefetch_strip(const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) __builtin_prefetch(x + i, 0, 2);
}

// A row to read, asked for in the course of a sweep over another.
struct Prefetch {
  const float* row;
  HWY_INLINE void operator()(int64_t i, int64_t n) const { prefetch_strip(row + i, n); }
};

// A row that will be written.
struct PrefetchWritten {
  const float* row;
  HWY_INLINE void operator()(int64_t i, int64_t n) const {
    for (int64_t at = i; at < i + n; at += 16) __builtin_prefetch(row + at, 1, 2);
  }
};

}  // namespace locus::kernel::cpu
