// Packs a and b into the layouts of tile-inl.h.
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
#include "locus/kernel/cpu/bf16-inl.h"
#include "locus/kernel/cpu/sweep-inl.h"
#include "locus/kernel/cpu/tile-inl.h"
#include "locus/kernel/cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// out[i][r] = from[i][r] for i < count and r < kWidth; zero for r >= valid.
template <int64_t kWidth>
HWY_INLINE void copy_padded(const float* from, int64_t stride, int64_t count, int64_t valid, float* out) {
  for (int64_t i = 0; i < count; ++i, from += stride, out += kWidth) {
    if (valid == kWidth) {  // a constant size compiles to a few instructions instead of a call
      std::memcpy(out, from, kWidth * sizeof(float));
    } else {
      for (int64_t r = 0; r < kWidth; ++r) out[r] = r < valid ? from[r] : 0;
    }
  }
}

// One panel of a: rows m .. m+count and columns k .. k+depth of the matrix. `a` points at element (0, 0); if
// transposed, the matrix is [k, m].
inline void pack_a(const float* a, int64_t stride, bool transposed, int64_t m, int64_t count, int64_t k,
                   int64_t depth, float* out) {
  const int64_t rows = tile_rows(count);
  if (rows == 1 && !transposed) {
    std::memcpy(out, a + m * stride + k, sizeof(float) * static_cast<size_t>(depth));
    return;
  }
  if (rows == 1) {
    for (int64_t i = 0; i < depth; ++i) out[i] = a[(k + i) * stride + m];
    return;
  }
  if (transposed) {
    const float* from = a + k * stride + m;
    return rows == 4 ? copy_padded<4>(from, stride, depth, count, out)
                     : copy_padded<kRows>(from, stride, depth, count, out);
  }
  transpose_padded({.from = a + m * stride + k,
                    .stride = stride,
                    .rows = count,
                    .cols = depth,
                    .to = out,
                    .to_stride = rows},
                   rows);
}

// Runs of k short enough that the lines being written stay in the L1 cache.
inline constexpr int64_t kRun = 64;

// One panel of b: columns n .. n+kCols of [k, n] (or of [n, k] if transposed), zero past the last column.
inline void pack_b(const float* b, int64_t stride, bool transposed, int64_t depth, int64_t n, int64_t cols,
                   float* out) {
  const int64_t valid = std::min(kCols, cols - n);
  if (!transposed) return copy_padded<kCols>(b + n, stride, depth, valid, out);
  for (int64_t k = 0; k < depth; k += kRun) {
    transpose_padded({.from = b + n * stride + k,
                      .stride = stride,
                      .rows = valid,
                      .cols = std::min(kRun, depth - k),
                      .to = out + k * kCols,
                      .to_stride = kCols},
                     kCols);
  }
}

// The same for a bf16 matrix [n, k], packed as f32.
inline void pack_b(const Bf16* b, int64_t stride, int64_t depth, int64_t n, int64_t cols, float* out) {
  HWY_ALIGN float wide[kCols * kRun];
  const int64_t valid = std::min(kCols, cols - n);
  for (int64_t k = 0; k < depth; k += kRun) {
    const int64_t count = std::min(kRun, depth - k);
    for (int64_t c = 0; c < valid; ++c) {
      const Bf16* from = b + (n + c) * stride + k;
      sweep_into(wide + c * kRun, count, [&](auto d, int64_t i) HWY_ATTR { return load_bf16(d, from + i); });
    }
    transpose_padded({.from = wide,
                      .stride = kRun,
                      .rows = valid,
                      .cols = count,
                      .to = out + k * kCols,
                      .to_stride = kCols},
                     kCols);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
