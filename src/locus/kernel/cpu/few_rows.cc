// The product of a few rows with a matrix that is read as it lies, row by row: a step of generation is made
// of these, and waits for memory alone. Columns of c are rows of b, and every element is a chain
// (chains-inl.h; bfmmla.h where b is bf16 and the CPU has its instruction).
#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/bfmmla.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/few_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/chains-inl.h"
#include "locus/kernel/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// The sums of four rows with 8 columns: what was turned serves all four. Rows of sums are kStrip apart.
template <class B>
HWY_INLINE void four_rows(const Strip<B>& s, const float* a, int64_t a_stride, float* sums) {
  const QuadTag q;
  const float *a0 = a, *a1 = a0 + a_stride, *a2 = a1 + a_stride, *a3 = a2 + a_stride;
  Quad s0 = hn::Zero(q), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  for (int64_t k = 0; k + 4 <= s.k; k += 4) {
    const Quad x0 = load_a(q, a0 + k, s.b), x1 = load_a(q, a1 + k, s.b);
    const Quad x2 = load_a(q, a2 + k, s.b), x3 = load_a(q, a3 + k, s.b);
    const Square left = load_transposed(s.b + k, s.stride);
    s0 = multiply_add(s0, x0, left), s1 = multiply_add(s1, x1, left);
    s2 = multiply_add(s2, x2, left), s3 = multiply_add(s3, x3, left);
    const Square right = load_transposed(s.b + 4 * s.stride + k, s.stride);
    t0 = multiply_add(t0, x0, right), t1 = multiply_add(t1, x1, right);
    t2 = multiply_add(t2, x2, right), t3 = multiply_add(t3, x3, right);
  }
  hn::StoreU(s0, q, sums), hn::StoreU(t0, q, sums + 4);
  hn::StoreU(s1, q, sums + kStrip), hn::StoreU(t1, q, sums + kStrip + 4);
  hn::StoreU(s2, q, sums + 2 * kStrip), hn::StoreU(t2, q, sums + 2 * kStrip + 4);
  hn::StoreU(s3, q, sums + 3 * kStrip), hn::StoreU(t3, q, sums + 3 * kStrip + 4);
}

#endif

// c[row, column ..] = f(sums + bias)
HWY_INLINE void store_sums(const FewRowsArgs& args, int64_t row, int64_t column, int64_t cols,
                           const float* sums) {
  float* c = args.c.row<float>(row) + column;
  const float* bias = args.bias ? args.bias.as<float>() + column : nullptr;
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    sweep_into(c, cols, [&](auto d, int64_t i) HWY_ATTR {
      const auto sum = hn::LoadU(d, sums + i);
      return activate(d, which, bias ? hn::Add(sum, hn::LoadU(d, bias + i)) : sum);
    });
  });
}

// The sums of up to four rows with kStrip columns or what is left of them, rows kStrip apart.
template <class B>
void RunChains(const FewRowsArgs& args, int64_t row, int64_t rows, int64_t column, int64_t cols,
               float* sums) {
  const Strip<B> strip = {args.b.row<B>(column), args.b.stride, args.b.cols};
#if HWY_TARGET != HWY_SCALAR
  if (rows == 4 && cols == kStrip) {
    const float* a = args.a.row<float>(row);
    four_rows(strip, a, args.a.stride, sums);
    four_rows(Strip<B>{strip.b + 8 * strip.stride, strip.stride, strip.k}, a, args.a.stride, sums + 8);
    for (int64_t r = 0; r < 4; ++r) {
      finish_chains(strip, cols, args.a.row<float>(row + r), strip.k / 4 * 4, sums + r * kStrip);
    }
    return;
  }
#endif
  for (int64_t r = 0; r < rows; ++r)
    add_chains<true>(strip, cols, args.a.row<float>(row + r), sums + r * kStrip);
}

void RunBf16Chains(const FewRowsArgs& args, int64_t row, int64_t rows, int64_t column, int64_t cols,
                   float* sums) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (has_bfmmla()) {
    static_assert(kStrip == bfmmla::kStripCols && bfmmla::kStripRows == 4);
    return bfmmla::run_strip({.a = args.a.row<float>(row),
                              .a_stride = args.a.stride,
                              .rows = rows,
                              .b = reinterpret_cast<const uint16_t*>(args.b.row<Bf16>(column)),
                              .b_stride = args.b.stride,
                              .cols = cols,
                              .k = args.b.cols},
                             sums);
  }
#endif
  RunChains<Bf16>(args, row, rows, column, cols, sums);
}

void RunStrip(const FewRowsArgs& args, int64_t row, int64_t rows, int64_t column) {
  const int64_t cols = std::min(kStrip, args.b.rows - column);
  HWY_ALIGN float sums[4 * kStrip] = {};
  if (args.b.dtype == DType::bf16) {
    RunBf16Chains(args, row, rows, column, cols, sums);
  } else {
    RunChains<float>(args, row, rows, column, cols, sums);
  }
  for (int64_t r = 0; r < rows; ++r) store_sums(args, row + r, column, cols, sums + r * kStrip);
}

void FewRows(const FewRowsArgs& args) {
  const int64_t strips = divide_up(args.b.rows, kStrip), m = args.a.rows;
  // One piece of b for each thread: what is asked for behind a piece comes to the wrong thread.
  const int64_t grain = std::max<int64_t>(1, divide_up(strips, threads()));
  parallel_for(strips, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t strip = begin; strip < end; ++strip) {
      for (int64_t row = 0; row < m; row += 4) {
        RunStrip(args, row, std::min<int64_t>(4, m - row), strip * kStrip);
      }
    }
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(FewRows);

void few_rows(const FewRowsArgs& args) { HWY_DYNAMIC_DISPATCH(FewRows)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
