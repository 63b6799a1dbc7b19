// The product of a few rows with a matrix that is read as it lies, row by row: a step of generation is made
// of these, and waits for memory alone. Four columns of c are four rows of b; four of each are turned in
// registers, so that every element is the same chain of multiply-adds as in the tile (tile-inl.h; bfmmla.h
// where b is bf16 and the CPU has its instruction).
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
#include "locus/kernel/cpu/bf16-inl.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

constexpr int64_t kStrip = 16;  // columns of c worked on at once: rows of b

template <class B>
struct Strip {
  const B* b;  // rows `stride` apart
  int64_t stride, k;
};

// Numbers of a, rounded where b is bf16.
template <class D>
HWY_INLINE hn::Vec<D> load_a(D d, const float* a, const float*) {
  return hn::LoadU(d, a);
}
template <class D>
HWY_INLINE hn::Vec<D> load_a(D d, const float* a, const Bf16*) {
  return round_to_bf16(d, hn::LoadU(d, a));
}

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE Square load_transposed(const Bf16* from, int64_t stride) {
  const QuadTag q;
  return turned({load_bf16(q, from), load_bf16(q, from + stride), load_bf16(q, from + 2 * stride),
                 load_bf16(q, from + 3 * stride)});
}

// sum[column] += a[i] b[column][i], i = 0 .. 3 in this order, for four columns
HWY_INLINE Quad multiply_add(Quad sum, Quad a, const Square& b) {
  sum = hn::MulAdd(hn::Broadcast<0>(a), b.r0, sum);
  sum = hn::MulAdd(hn::Broadcast<1>(a), b.r1, sum);
  sum = hn::MulAdd(hn::Broadcast<2>(a), b.r2, sum);
  return hn::MulAdd(hn::Broadcast<3>(a), b.r3, sum);
}

// The sums of one row with 16 columns, over whole fours of k. Each step asks for as much of the strip behind
// as it uses: sixteen rows at a time are more than the processor foresees. Named sums: g++ 12 keeps arrays of
// vectors on the stack.
template <class B>
HWY_INLINE void one_row(const Strip<B>& s, const float* a, float* sums) {
  const QuadTag q;
  const int64_t four = 4 * s.stride;
  const B *b0 = s.b, *b1 = b0 + four, *b2 = b1 + four, *b3 = b2 + four, *ahead = b3 + four;
  Quad s0 = hn::Zero(q), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t k = 0; k + 4 <= s.k; k += 4) {
    for (int64_t line = 0; line < 4; ++line) __builtin_prefetch(ahead + kStrip * k + 16 * line, 0, 2);
    const Quad x = load_a(q, a + k, s.b);
    s0 = multiply_add(s0, x, load_transposed(b0 + k, s.stride));
    s1 = multiply_add(s1, x, load_transposed(b1 + k, s.stride));
    s2 = multiply_add(s2, x, load_transposed(b2 + k, s.stride));
    s3 = multiply_add(s3, x, load_transposed(b3 + k, s.stride));
  }
  hn::StoreU(s0, q, sums), hn::StoreU(s1, q, sums + 4);
  hn::StoreU(s2, q, sums + 8), hn::StoreU(s3, q, sums + 12);
}

// The same of four rows with 8 columns: what was turned serves all four. Rows of sums are kStrip apart.
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

HWY_INLINE float to_f32(float x) { return x; }

// sum + a[k] b[k] from k on, one after the other
template <class B>
HWY_INLINE float finish_chain(const float* a, const B* b, int64_t k, int64_t end, float sum) {
  const hn::CappedTag<float, 1> one;
  auto chain = hn::Set(one, sum);
  for (; k < end; ++k) chain = hn::MulAdd(load_a(one, a + k, b), hn::Set(one, to_f32(b[k])), chain);
  return hn::GetLane(chain);
}

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
  const int64_t k = args.b.cols;
  const Strip<B> strip = {args.b.row<B>(column), args.b.stride, k};
  int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if (cols == kStrip) {
    done = k / 4 * 4;
    if (rows == 4) {
      four_rows(strip, args.a.row<float>(row), args.a.stride, sums);
      four_rows(Strip<B>{strip.b + 8 * strip.stride, strip.stride, k}, args.a.row<float>(row), args.a.stride,
                sums + 8);
    } else {
      for (int64_t r = 0; r < rows; ++r) one_row(strip, args.a.row<float>(row + r), sums + r * kStrip);
    }
  }
#endif
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; done < k && j < cols; ++j) {
      float& sum = sums[r * kStrip + j];
      sum = finish_chain(args.a.row<float>(row + r), strip.b + j * strip.stride, done, k, sum);
    }
  }
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
