// The product of a few rows of a with an unpacked matrix b, which is read row by row. A decoding step
// consists of these products and is bound by memory bandwidth. Columns of c are rows of b, so every element
// of c is a dot product of two rows (dot_strip-inl.h, or bfmmla.h if b is bf16 and the CPU has BFMMLA). For
// more than kMaxDotRows rows it pays to pack panels of b (matmul_medium_m.cc).
#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/bfmmla.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/matmul_small_m.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/dot_strip-inl.h"
#include "locus/kernel/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// sums[row][column] += a[row][i] b[column][i], i = 0 .. 3 in this order, for four rows and four columns
HWY_INLINE void multiply_add(Square& sums, const Square& a, const Square& b) {
  sums.r0 = multiply_add(sums.r0, a.r0, b), sums.r1 = multiply_add(sums.r1, a.r1, b);
  sums.r2 = multiply_add(sums.r2, a.r2, b), sums.r3 = multiply_add(sums.r3, a.r3, b);
}

template <class B>
HWY_INLINE Square load_rows(const float* const* a, int64_t k, const B* b) {
  const QuadTag q;
  return {load_a(q, a[0] + k, b), load_a(q, a[1] + k, b), load_a(q, a[2] + k, b), load_a(q, a[3] + k, b)};
}

// Adds to the sums of eight rows (or four) with kHalf columns, so one transposed load of b serves all rows.
// Rows of sums are kStrip apart. Each step prefetches as many bytes as it uses.
template <bool kEight, class B>
HWY_INLINE void add_rows(const Strip<B>& s, const float* const* a, float* sums) {
  float* low = sums + 4 * kStrip;
  Square left = load_square(sums, kStrip), right = load_square(sums + 4, kStrip);
  Square low_left = load_square(low, kStrip), low_right = load_square(low + 4, kStrip);
  for (int64_t k = 0; k + 4 <= s.k; k += 4) {
    for (int64_t line = 0; line < 2; ++line) __builtin_prefetch(s.ahead + kHalf * k + 16 * line, 0, 2);
    const Square x = load_rows(a, k, s.b);
    const Square b = load_transposed(s.b + k, s.stride);
    const Square more_b = load_transposed(s.b + 4 * s.stride + k, s.stride);
    multiply_add(left, x, b), multiply_add(right, x, more_b);
    if constexpr (kEight) {
      const Square more_x = load_rows(a + 4, k, s.b);
      multiply_add(low_left, more_x, b), multiply_add(low_right, more_x, more_b);
    }
  }
  store_square(left, sums, kStrip), store_square(right, sums + 4, kStrip);
  if constexpr (kEight) {
    store_square(low_left, low, kStrip), store_square(low_right, low + 4, kStrip);
  }
}

#endif

// c[row, column ..] = f(sums)
HWY_INLINE void store_sums(const MatmulSmallMArgs& args, int64_t row, int64_t column, int64_t cols,
                           const float* sums) {
  float* c = args.c.row<float>(row) + column;
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    sweep_into(c, cols,
               [&](auto d, int64_t i) HWY_ATTR { return activate(d, which, hn::LoadU(d, sums + i)); });
  });
}

// First column of the strip to prefetch. The last strip has no successor and prefetches itself: prefetching
// unmapped memory takes longer than reading.
HWY_INLINE int64_t strip_to_prefetch(const MatmulSmallMArgs& args, int64_t column) {
  return column + 2 * kStrip <= args.b.rows ? column + kStrip : column;
}

// Adds to the sums of all rows with kStrip columns (fewer at the end of b). Rows of sums are kStrip apart.
template <class B>
void AddStrip(const MatmulSmallMArgs& args, int64_t column, int64_t cols, float* sums) {
  const Strip<B> strip = {.b = args.b.row<B>(column),
                          .stride = args.b.stride,
                          .k = args.b.cols,
                          .ahead = args.b.row<B>(strip_to_prefetch(args, column))};
  const int64_t rows = args.a.rows;
#if HWY_TARGET != HWY_SCALAR
  if (rows > 1 && cols == kStrip) {
    const float* a[kMaxDotRows];  // rows past the last repeat it
    for (int64_t r = 0; r < kMaxDotRows; ++r) a[r] = args.a.row<float>(std::min(r, rows - 1));
    for (int64_t c = 0; c < kStrip; c += kHalf) {
      const Strip<B> half = half_of(strip, c);
      rows > 4 ? add_rows<true>(half, a, sums + c) : add_rows<false>(half, a, sums + c);
    }
    for (int64_t r = 0; r < rows; ++r) finish_dots(strip, cols, a[r], strip.k / 4 * 4, sums + r * kStrip);
    return;
  }
#endif
  for (int64_t r = 0; r < rows; ++r) add_dots(strip, cols, args.a.row<float>(r), sums + r * kStrip);
}

void AddBf16Strip(const MatmulSmallMArgs& args, int64_t column, int64_t cols, float* sums) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (has_bfmmla()) {
    const auto* ahead = reinterpret_cast<const uint16_t*>(args.b.row<Bf16>(strip_to_prefetch(args, column)));
    static_assert(kStrip == bfmmla::kStripCols && kMaxDotRows % bfmmla::kStripRows == 0);
    for (int64_t row = 0; row < args.a.rows; row += bfmmla::kStripRows) {
      bfmmla::run_strip({.a = args.a.row<float>(row),
                         .a_stride = args.a.stride,
                         .rows = std::min(bfmmla::kStripRows, args.a.rows - row),
                         .b = reinterpret_cast<const uint16_t*>(args.b.row<Bf16>(column)),
                         .ahead = ahead,
                         .b_stride = args.b.stride,
                         .cols = cols,
                         .k = args.b.cols},
                        sums + row * kStrip);
    }
    return;
  }
#endif
  AddStrip<Bf16>(args, column, cols, sums);
}

void RunStrip(const MatmulSmallMArgs& args, int64_t column) {
  const int64_t cols = std::min(kStrip, args.b.rows - column);
  HWY_ALIGN float sums[kMaxDotRows * kStrip] = {};
  for (int64_t r = 0; args.bias && r < args.a.rows; ++r) {
    std::copy_n(args.bias.as<float>() + column, cols, sums + r * kStrip);
  }
  if (args.b.dtype == DType::bf16) {
    AddBf16Strip(args, column, cols, sums);
  } else {
    AddStrip<float>(args, column, cols, sums);
  }
  for (int64_t r = 0; r < args.a.rows; ++r) store_sums(args, r, column, cols, sums + r * kStrip);
}

void MatmulSmallM(const MatmulSmallMArgs& args) {
  const int64_t strips = divide_up(args.b.rows, kStrip);
  parallel_for(strips, 1, [&](int64_t strip, int64_t) HWY_ATTR { RunStrip(args, strip * kStrip); });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(MatmulSmallM);

void matmul_small_m(const MatmulSmallMArgs& args) {
  if (args.a.rows > kMaxDotRows) return matmul_medium_m(args);
  LOCUS_DISPATCH(MatmulSmallM)(args);
}

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
