// Rearranges a and b into the layouts of tile-inl.h.
#if defined(LOCUS_KERNEL_CPU_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_PACK_INL_H_
#undef LOCUS_KERNEL_CPU_PACK_INL_H_
#else
#define LOCUS_KERNEL_CPU_PACK_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Four rows of a, `depth` values each, interleaved to [k][4]. A row past the last one is zero.
HWY_INLINE void interleave_rows(const float* const* rows, int64_t depth, float* out) {
  const F f;
  int64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    hn::StoreInterleaved4(hn::LoadU(f, rows[0] + k), hn::LoadU(f, rows[1] + k), hn::LoadU(f, rows[2] + k),
                          hn::LoadU(f, rows[3] + k), f, out + 4 * k);
  }
  for (; k < depth; ++k) {
    for (int r = 0; r < 4; ++r) out[4 * k + r] = rows[r][k];
  }
}

// One panel of a: rows m .. m+count of the given matrix, columns k .. k+depth, as the tile wants it.
// `a` points at element (0, 0); transposed, it is [k, m].
inline void pack_a(const float* a, int64_t stride, bool transposed, int64_t m, int64_t count, int64_t k,
                   int64_t depth, float* out) {
  static constexpr float kZeros[kDepth] = {};
  const int64_t rows = tile_rows(count);
  if (rows == 1 && !transposed) {
    std::memcpy(out, a + m * stride + k, sizeof(float) * static_cast<size_t>(depth));
    return;
  }
  if (rows == 1) {
    for (int64_t i = 0; i < depth; ++i) out[i] = a[(k + i) * stride + m];
    return;
  }
  for (int64_t group = 0; group < rows; group += 4, out += 4 * depth) {
    if (transposed) {
      const auto valid = std::clamp<int64_t>(count - group, 0, 4);
      for (int64_t i = 0; i < depth; ++i) {
        const float* from = a + (k + i) * stride + m + group;
        for (int64_t r = 0; r < 4; ++r) out[4 * i + r] = r < valid ? from[r] : 0;
      }
    } else {
      const float* from[4];
      for (int64_t r = 0; r < 4; ++r) from[r] = group + r < count ? a + (m + group + r) * stride + k : kZeros;
      interleave_rows(from, depth, out);
    }
  }
}

// Panel of b: columns n .. n+kCols of [k, n] (or of [n, k] when transposed), zero past the last column.
inline void pack_b(const float* b, int64_t stride, bool transposed, int64_t depth, int64_t n, int64_t cols,
                   float* out) {
  const auto valid = static_cast<size_t>(std::min<int64_t>(kCols, cols - n));
  if (!transposed) {
    for (int64_t k = 0; k < depth; ++k, out += kCols) {
      std::memcpy(out, b + k * stride + n, sizeof(float) * valid);
      std::fill(out + valid, out + kCols, 0.0f);
    }
    return;
  }
  // Column by column in runs of k short enough that the lines being written stay in the first-level cache.
  constexpr int64_t kRun = 64;
  for (int64_t k = 0; k < depth; k += kRun) {
    const int64_t end = std::min(depth, k + kRun);
    for (int64_t j = 0; j < kCols; ++j) {
      const float* from = b + (n + j) * stride;
      for (int64_t i = k; i < end; ++i) out[i * kCols + j] = j < static_cast<int64_t>(valid) ? from[i] : 0;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
