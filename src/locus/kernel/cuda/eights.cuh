// Activations in f32 or bf16, eight neighbors of a row at a time: one or two 16-byte accesses where rows lie
// at such addresses. Arithmetic is f32, and does not depend on how numbers are read.
#pragma once

#include <cuda_bf16.h>

#include "locus/base/half.h"
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {

template <class Byte>
__device__ float number_at(const Numbers<Byte>& m, int64_t r, int64_t c) {
  const int64_t place = r * m.stride + c;
  return m.bf16 ? to_f32(reinterpret_cast<const Bf16*>(m.data)[place])
                : reinterpret_cast<const float*>(m.data)[place];
}
__device__ inline void put_number(const NumbersOut& m, int64_t r, int64_t c, float x) {
  const int64_t place = r * m.stride + c;
  if (m.bf16) {
    reinterpret_cast<Bf16*>(m.data)[place] = to_bf16(x);
  } else {
    reinterpret_cast<float*>(m.data)[place] = x;
  }
}

__device__ inline void widen(uint32_t both, float& low, float& high) {
  low = __uint_as_float(both << 16);
  high = __uint_as_float(both & 0xffff0000u);
}
__device__ inline uint32_t rounded(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(both);
}

// Loads m(r, c) to m(r, c + count - 1) into x, and zeros after them. c is a multiple of 8 and count at
// most 8.
template <class Byte>
__device__ void load(const Numbers<Byte>& m, int64_t r, int64_t c, int count, float (&x)[8]) {
  const int64_t place = r * m.stride + c;
  if (count < 8 || !m.wide) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = i < count ? number_at(m, r, c + i) : 0;
  } else if (m.bf16) {
    const uint4 all = *reinterpret_cast<const uint4*>(m.data + 2 * place);
    widen(all.x, x[0], x[1]);
    widen(all.y, x[2], x[3]);
    widen(all.z, x[4], x[5]);
    widen(all.w, x[6], x[7]);
  } else {
    const auto* const from = reinterpret_cast<const float4*>(m.data + 4 * place);
    const float4 low = from[0], high = from[1];
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
  }
}
__device__ inline void store(const NumbersOut& m, int64_t r, int64_t c, int count, const float (&x)[8]) {
  const int64_t place = r * m.stride + c;
  if (count < 8 || !m.wide) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i < count) put_number(m, r, c + i, x[i]);
    }
  } else if (m.bf16) {
    *reinterpret_cast<uint4*>(m.data + 2 * place) =
        uint4{rounded(x[0], x[1]), rounded(x[2], x[3]), rounded(x[4], x[5]), rounded(x[6], x[7])};
  } else {
    auto* const to = reinterpret_cast<float4*>(m.data + 4 * place);
    to[0] = {x[0], x[1], x[2], x[3]};
    to[1] = {x[4], x[5], x[6], x[7]};
  }
}
// Of a vector of parameters, which every row reads; 0 if it is absent.
__device__ inline void load(const float* vector, int64_t c, int count, float (&x)[8], float absent = 0) {
  if (vector != nullptr && count == 8 && reinterpret_cast<uintptr_t>(vector) % 16 == 0) {
    const auto* const from = reinterpret_cast<const float4*>(vector + c);
    const float4 low = from[0], high = from[1];
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = vector != nullptr && i < count ? vector[c + i] : absent;
}

// Quotient and rest of numbers that mostly have 32 bits, whose division is much faster.
struct Divided {
  int64_t whole, rest;
};
__device__ inline Divided divide(int64_t a, int64_t b) {
  if (a <= UINT32_MAX && b <= UINT32_MAX) {
    const uint32_t x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b), whole = x / y;
    return {whole, x - whole * y};
  }
  return {a / b, a % b};
}

// Calls f(r, c, count) for every eight neighbors of a row, or fewer at its end.
template <class F>
__device__ void each_eight(int64_t rows, int64_t cols, F f) {
  const int64_t in_row = divided_up(cols, 8), step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < rows * in_row; i += step) {
    const auto [r, eight] = rows == 1 ? Divided{0, i} : divide(i, in_row);
    f(r, 8 * eight, static_cast<int>(smaller(8, cols - 8 * eight)));
  }
}

// Dropout of eight elements; `index` is that of the first.
__device__ inline void drop(const Dropout& dropout, uint64_t index, float (&x)[8]) {
  if (dropout.rate == 0) return;
  if (index % 8 != 0) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = dropped(dropout, index + i, x[i]);
    return;
  }
  const PhiloxBlock words = dropout_words(dropout, index);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const bool kept = (words[half_word(i)] >> half_shift(i) & 0xffffu) >= dropout.threshold;
    x[i] = kept ? x[i] * dropout.factor : 0;
  }
}

}  // namespace locus::kernel::cuda
