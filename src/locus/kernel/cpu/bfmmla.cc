#include "locus/kernel/cpu/bfmmla.h"

#include <arm_neon.h>

namespace locus::kernel::cpu::bfmmla {
namespace {

using Sums = float32x4_t;     // sums of two rows with two columns: [row][column]
using Eight = bfloat16x8_t;   // four k of two rows, or of two columns
using Bytes = uint16x8_t;     // eight bf16 as stored
constexpr int64_t kPair = 8;  // numbers in such a vector

Eight load(const uint16_t* p) { return vreinterpretq_bf16_u16(vld1q_u16(p)); }
Sums lows(Sums x, Sums y) { return vcombine_f32(vget_low_f32(x), vget_low_f32(y)); }
Sums highs(Sums x, Sums y) { return vcombine_f32(vget_high_f32(x), vget_high_f32(y)); }
Eight round_pair(float32x4_t x, float32x4_t y) { return vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(x), y); }
int64_t minimum(int64_t x, int64_t y) { return x < y ? x : y; }

// Keeps later loads after earlier ones. Otherwise g++ loads all of b first and has no registers left for the
// sums.
[[gnu::always_inline]] inline void compiler_barrier() { asm volatile("" ::: "memory"); }

// Sums of two columns with up to eight rows. Named members and inlined functions, because g++ 12 keeps arrays
// of vectors on the stack.
struct Columns {
  Sums p0, p1, p2, p3;
};

template <int P>
[[gnu::always_inline]] inline void multiply_add(Columns& sums, Eight a0, Eight a1, Eight a2, Eight a3,
                                                Eight b) {
  sums.p0 = vbfmmlaq_f32(sums.p0, a0, b);
  if constexpr (P >= 2) sums.p1 = vbfmmlaq_f32(sums.p1, a1, b);
  if constexpr (P == 4) sums.p2 = vbfmmlaq_f32(sums.p2, a2, b), sums.p3 = vbfmmlaq_f32(sums.p3, a3, b);
}

// Four columns of rows r and r + 1.
[[gnu::always_inline]] inline void load_sums(Sums& left, Sums& right, const float* from, int64_t stride) {
  const Sums upper = vld1q_f32(from), lower = vld1q_f32(from + stride);
  left = lows(upper, lower), right = highs(upper, lower);
}
[[gnu::always_inline]] inline void store_sums(Sums left, Sums right, float* c, int64_t stride) {
  vst1q_f32(c, lows(left, right)), vst1q_f32(c + stride, highs(left, right));
}

template <int P>
[[gnu::always_inline]] inline void load_sums(Columns& left, Columns& right, const float* from,
                                             int64_t stride) {
  const Sums zero = vdupq_n_f32(0);
  left = right = {zero, zero, zero, zero};
  if (!from) return;
  load_sums(left.p0, right.p0, from, stride);
  if constexpr (P >= 2) load_sums(left.p1, right.p1, from + 2 * stride, stride);
  if constexpr (P == 4) {
    load_sums(left.p2, right.p2, from + 4 * stride, stride),
        load_sums(left.p3, right.p3, from + 6 * stride, stride);
  }
}
template <int P>
[[gnu::always_inline]] inline void store_sums(const Columns& left, const Columns& right, float* c,
                                              int64_t stride) {
  store_sums(left.p0, right.p0, c, stride);
  if constexpr (P >= 2) store_sums(left.p1, right.p1, c + 2 * stride, stride);
  if constexpr (P == 4) {
    store_sums(left.p2, right.p2, c + 4 * stride, stride),
        store_sums(left.p3, right.p3, c + 6 * stride, stride);
  }
}

// P pairs of rows with six pairs of columns.
template <int P>
void tile(const TileRun<uint16_t>& t) {
  Columns c0, c1, c2, c3, c4, c5;
  const float *from = t.from, *middle = from ? from + 4 : nullptr, *right = from ? from + 8 : nullptr;
  load_sums<P>(c0, c1, from, t.from_stride);
  load_sums<P>(c2, c3, middle, t.from_stride);
  load_sums<P>(c4, c5, right, t.from_stride);
  const uint16_t *a = t.a, *b = t.b;
#pragma GCC unroll 2
  for (int64_t k = 0; k < t.depth; k += kStep, a += P * kPair, b += kCols / 2 * kPair) {
    const Eight a0 = load(a), a1 = P >= 2 ? load(a + kPair) : a0;
    const Eight a2 = P == 4 ? load(a + 2 * kPair) : a0, a3 = P == 4 ? load(a + 3 * kPair) : a0;
    multiply_add<P>(c0, a0, a1, a2, a3, load(b));
    multiply_add<P>(c1, a0, a1, a2, a3, load(b + kPair));
    compiler_barrier();
    multiply_add<P>(c2, a0, a1, a2, a3, load(b + 2 * kPair));
    multiply_add<P>(c3, a0, a1, a2, a3, load(b + 3 * kPair));
    compiler_barrier();
    multiply_add<P>(c4, a0, a1, a2, a3, load(b + 4 * kPair));
    multiply_add<P>(c5, a0, a1, a2, a3, load(b + 5 * kPair));
  }
  store_sums<P>(c0, c1, t.c, t.stride);
  store_sums<P>(c2, c3, t.c + 4, t.stride);
  store_sums<P>(c4, c5, t.c + 8, t.stride);
}

// The remaining k at the end of a row, padded with zeros.
Eight load_rest(const float* x, const float* y, int64_t count) {
  float both[kPair] = {};
  for (int64_t i = 0; i < count; ++i) both[i] = x[i], both[kStep + i] = y[i];
  return round_pair(vld1q_f32(both), vld1q_f32(both + kStep));
}
Bytes load_rest(const uint16_t* x, int64_t count) {
  uint16_t rest[kPair] = {};
  for (int64_t i = 0; i < count; ++i) rest[i] = x[i];
  return vld1q_u16(rest);
}

// Eight k of two rows as two BFMMLA operands: the first four k of both rows, then the last four.
struct PairHalves {
  Bytes first, second;
};
PairHalves zip_rows(Bytes x, Bytes y) {
  const uint64x2_t left = vreinterpretq_u64_u16(x), right = vreinterpretq_u64_u16(y);
  return {vreinterpretq_u16_u64(vzip1q_u64(left, right)), vreinterpretq_u16_u64(vzip2q_u64(left, right))};
}

// Two rows of a with two columns from k on: for the end of a row, or for columns that do not fill a strip.
[[gnu::always_inline]] inline void add_pair(const float* a0, const float* a1, const uint16_t* b0,
                                            const uint16_t* b1, int64_t k, int64_t end, Sums& sums) {
  for (; k < end; k += kStep) {
    const int64_t count = minimum(kStep, end - k);
    const Eight b =
        vreinterpretq_bf16_u16(zip_rows(load_rest(b0 + k, count), load_rest(b1 + k, count)).first);
    sums = vbfmmlaq_f32(sums, load_rest(a0 + k, a1 + k, count), b);
  }
}

// Sums of up to four rows with four columns.
struct FourColumns {
  Sums left0, right0, left1, right1;
};

template <int P>
[[gnu::always_inline]] inline void multiply_add(FourColumns& sums, const uint16_t* b, int64_t stride,
                                                Eight a0, Eight a1, Eight a2, Eight a3) {
  const PairHalves left = zip_rows(vld1q_u16(b), vld1q_u16(b + stride));
  const PairHalves right = zip_rows(vld1q_u16(b + 2 * stride), vld1q_u16(b + 3 * stride));
  const Eight l0 = vreinterpretq_bf16_u16(left.first), l1 = vreinterpretq_bf16_u16(left.second);
  const Eight r0 = vreinterpretq_bf16_u16(right.first), r1 = vreinterpretq_bf16_u16(right.second);
  sums.left0 = vbfmmlaq_f32(vbfmmlaq_f32(sums.left0, a0, l0), a1, l1);
  sums.right0 = vbfmmlaq_f32(vbfmmlaq_f32(sums.right0, a0, r0), a1, r1);
  if constexpr (P == 2) {
    sums.left1 = vbfmmlaq_f32(vbfmmlaq_f32(sums.left1, a2, l0), a3, l1);
    sums.right1 = vbfmmlaq_f32(vbfmmlaq_f32(sums.right1, a2, r0), a3, r1);
  }
}

// One or two pairs of rows with eight columns of a strip, over whole groups of eight k. Returns the number of
// k done. Eight rows of b at a time, because memory serves sixteen streams more slowly. Each step prefetches
// as many bytes as it uses, because the hardware prefetcher cannot follow this many rows; the first eight
// columns prefetch the second eight.
template <int P>
int64_t add_half_strip(const Strip& s, int64_t column, const float* const* a, float* sums) {
  const uint16_t *b0 = s.b + column * s.b_stride, *b1 = b0 + 4 * s.b_stride, *b2 = b1 + 4 * s.b_stride;
  const uint16_t* ahead = column == 0 ? b2 : s.ahead;
  const auto load = [&](const float* from) {
    FourColumns x;
    load_sums(x.left0, x.right0, from, kStripCols),
        load_sums(x.left1, x.right1, from + 2 * kStripCols, kStripCols);
    return x;
  };
  FourColumns s0 = load(sums + column), s1 = load(sums + column + 4);
  int64_t k = 0;
  for (; k + kPair <= s.k; k += kPair) {
    for (int64_t line = 0; line < 2; ++line) {
      __builtin_prefetch(ahead + kStripCols / 2 * k + 32 * line, 0, 2);
    }
    const Eight a0 = round_pair(vld1q_f32(a[0] + k), vld1q_f32(a[1] + k));
    const Eight a1 = round_pair(vld1q_f32(a[0] + k + kStep), vld1q_f32(a[1] + k + kStep));
    const Eight a2 = P == 2 ? round_pair(vld1q_f32(a[2] + k), vld1q_f32(a[3] + k)) : a0;
    const Eight a3 = P == 2 ? round_pair(vld1q_f32(a[2] + k + kStep), vld1q_f32(a[3] + k + kStep)) : a0;
    multiply_add<P>(s0, b0 + k, s.b_stride, a0, a1, a2, a3);
    multiply_add<P>(s1, b1 + k, s.b_stride, a0, a1, a2, a3);
  }
  const auto store = [&](const FourColumns& x, float* to) {
    store_sums(x.left0, x.right0, to, kStripCols);
    if constexpr (P == 2) store_sums(x.left1, x.right1, to + 2 * kStripCols, kStripCols);
  };
  store(s0, sums + column), store(s1, sums + column + 4);
  return k;
}

template <int P>
int64_t add_strip(const Strip& s, const float* const* a, float* sums) {
  add_half_strip<P>(s, 0, a, sums);
  return add_half_strip<P>(s, kStripCols / 2, a, sums);
}

}  // namespace

void run_tiles(int64_t rows, const TileRun<uint16_t>& run) {
  TileRun<uint16_t> t = run;
  const int64_t bytes = (run.ahead.bytes + run.count - 1) / run.count;
  for (int64_t i = 0; i < run.count; ++i, t.a += t.a_step, t.c += rows * t.stride, t.ahead.at += bytes) {
    for (int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(t.ahead.at + line);
    rows == 2 ? tile<1>(t) : rows == 4 ? tile<2>(t) : tile<4>(t);
    if (t.from) t.from += rows * t.from_stride;
  }
}

void pack_a(const float* a, int64_t stride, int64_t count, int64_t rows, int64_t depth, uint16_t* out) {
  for (int64_t r = 0; r < rows; r += 2, out += kPair) {
    const float *x = a + minimum(r, count - 1) * stride, *y = a + minimum(r + 1, count - 1) * stride;
    uint16_t* to = out;
    int64_t k = 0;
    for (; k + kStep <= depth; k += kStep, to += rows * kStep) {
      vst1q_u16(to, vreinterpretq_u16_bf16(round_pair(vld1q_f32(x + k), vld1q_f32(y + k))));
    }
    if (k < depth) vst1q_u16(to, vreinterpretq_u16_bf16(load_rest(x + k, y + k, depth - k)));
  }
}

void pack_b(const uint16_t* b, int64_t stride, int64_t count, int64_t k, uint16_t* out) {
  // Runs of k short enough that the written lines stay in the L1 cache.
  constexpr int64_t kRun = 256, kGroupSize = kCols / 2 * kPair;
  for (int64_t begin = 0; begin < k; begin += kRun) {
    const int64_t end = minimum(begin + kRun, k);
    for (int64_t n = 0; n < kCols; n += 2) {
      const uint16_t *x = b + minimum(n, count - 1) * stride, *y = b + minimum(n + 1, count - 1) * stride;
      uint16_t* to = out + begin / kStep * kGroupSize + n / 2 * kPair;
      int64_t i = begin;
      for (; i + kPair <= end; i += kPair, to += 2 * kGroupSize) {
        const PairHalves pairs = zip_rows(vld1q_u16(x + i), vld1q_u16(y + i));
        vst1q_u16(to, pairs.first), vst1q_u16(to + kGroupSize, pairs.second);
      }
      if (i == end) continue;
      const PairHalves pairs = zip_rows(load_rest(x + i, end - i), load_rest(y + i, end - i));
      vst1q_u16(to, pairs.first);
      if (end - i > kStep) vst1q_u16(to + kGroupSize, pairs.second);
    }
  }
}

void run_strip(const Strip& s, float* sums) {
  const float* a[kStripRows];
  for (int64_t r = 0; r < kStripRows; ++r) a[r] = s.a + minimum(r, s.rows - 1) * s.a_stride;
  int64_t done = 0;
  if (s.cols == kStripCols) done = s.rows > 2 ? add_strip<2>(s, a, sums) : add_strip<1>(s, a, sums);
  for (int64_t r = 0; done < s.k && r < s.rows; r += 2) {
    for (int64_t column = 0; column < s.cols; column += 2) {
      float* own = sums + r * kStripCols + column;
      const int64_t next = minimum(column + 1, s.cols - 1);
      Sums both = vcombine_f32(vld1_f32(own), vld1_f32(own + kStripCols));
      add_pair(a[r], a[r + 1], s.b + column * s.b_stride, s.b + next * s.b_stride, done, s.k, both);
      vst1_f32(own, vget_low_f32(both)), vst1_f32(own + kStripCols, vget_high_f32(both));
    }
  }
}

}  // namespace locus::kernel::cpu::bfmmla
