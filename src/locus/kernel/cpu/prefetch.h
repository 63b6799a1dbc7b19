// Software prefetch: the rows of a table lookup are at random addresses, which the CPU cannot predict.
#pragma once

#include <hwy/base.h>

#include <cstdint>

namespace locus::kernel::cpu {

// Prefetches n floats into the L2 cache; the L1 cache allows too few outstanding lines. Always inlined,
// because g++ treats a call that only prefetches as having no effect and removes it.
HWY_INLINE void prefetch_strip(const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) __builtin_prefetch(x + i, 0, 2);
}

// Prefetches a row to read during a sweep over another row.
struct Prefetch {
  const float* row;
  HWY_INLINE void operator()(int64_t i, int64_t n) const { prefetch_strip(row + i, n); }
};

// Prefetches a row to write.
struct PrefetchWritten {
  const float* row;
  HWY_INLINE void operator()(int64_t i, int64_t n) const {
    for (int64_t at = i; at < i + n; at += 16) __builtin_prefetch(row + at, 1, 2);
  }
};

}  // namespace locus::kernel::cpu
