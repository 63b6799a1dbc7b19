// What the kernels of the GPU share: loops over elements, sums in a fixed order, activations, dropout.
#pragma once

#include "locus/base/random.h"
#include "locus/kernel/cuda/index.h"
#include "locus/kernel/cuda/params.h"

#define LOCUS_KERNEL extern "C" __global__ void __launch_bounds__(locus::kernel::cuda::kThreads)

namespace locus::kernel::cuda {

// Calls f(r, c) for every element.
template <class F>
__device__ void each(int64_t rows, int64_t cols, F f) {
  const int64_t step = int64_t{gridDim.x} * kThreads, first = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (rows == 1) {
    for (int64_t c = first; c < cols; c += step) f(int64_t{0}, c);
  } else {
    for (int64_t i = first; i < rows * cols; i += step) f(i / cols, i % cols);
  }
}

// Sums in the same order on every run: lanes of a warp pairwise, then the warps one after another.
template <class T>
__device__ T warp_sum(T x) {
  for (int mask = 16; mask > 0; mask /= 2) x += __shfl_xor_sync(0xffffffffu, x, mask);
  return x;
}
template <class T>
__device__ T block_sum(T x) {
  __shared__ T of_warps[kThreads / 32];
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
  __syncthreads();
  T sum = 0;
  for (int w = 0; w < kThreads / 32; ++w) sum += of_warps[w];
  return sum;
}
__device__ inline float block_max(float x) {
  __shared__ float of_warps[kThreads / 32];
  for (int mask = 16; mask > 0; mask /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, mask));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
  __syncthreads();
  for (int w = 0; w < kThreads / 32; ++w) x = fmaxf(x, of_warps[w]);
  return x;
}

// Past these arguments tanh is 1 in f32, and x^3 could overflow.
__device__ inline float gelu_tanh_inner(float x) {
  x = x > 20.0f ? 20.0f : x < -20.0f ? -20.0f : x;
  return 0.7978845608f * (x + 0.044715f * x * x * x);
}

__device__ inline float activate(int activation, float x) {
  switch (activation) {
    case kGelu:
      return 0.5f * x * erfcf(-x * 0.7071067812f);
    case kGeluTanh:
      return 0.5f * x * (1 + tanhf(gelu_tanh_inner(x)));
    case kSilu:
      return x / (1 + expf(-x));
    case kRelu:
      return x <= 0 ? 0 : x;  // written this way, NaN stays NaN
    case kTanh:
      return tanhf(x);
    default:
      return x;
  }
}

__device__ inline float activate_slope(int activation, float x) {
  switch (activation) {
    case kGelu:
      return 0.5f * erfcf(-x * 0.7071067812f) + x * expf(-0.5f * x * x) * 0.3989422804f;
    case kGeluTanh: {
      const float t = tanhf(gelu_tanh_inner(x)), bounded = x > 20.0f ? 20.0f : x < -20.0f ? -20.0f : x;
      const float inner_slope = 0.7978845608f * (1 + 3 * 0.044715f * bounded * bounded);
      return 0.5f * (1 + t) + 0.5f * bounded * (1 - t * t) * inner_slope;
    }
    case kSilu: {
      const float s = 1 / (1 + expf(-x));
      return s * (1 + x * (1 - s));
    }
    case kRelu:
      return x <= 0 ? 0 : 1;
    case kTanh: {
      const float t = tanhf(x);
      return 1 - t * t;
    }
    default:
      return 1;
  }
}

// The random words of the eight elements around this index.
__device__ inline PhiloxBlock dropout_words(const Dropout& dropout, uint64_t index) {
  const uint64_t block = half_block(index);
  return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                 static_cast<uint32_t>(dropout.stream), static_cast<uint32_t>(dropout.stream >> 32)},
                static_cast<uint32_t>(dropout.seed), static_cast<uint32_t>(dropout.seed >> 32));
}
// What dropout multiplies the element with this index by.
__device__ inline float dropout_factor(const Dropout& dropout, uint64_t index) {
  const PhiloxBlock words = dropout_words(dropout, index);
  const int word = half_word(index);
  const uint32_t bits = word == 0 ? words[0] : word == 1 ? words[1] : word == 2 ? words[2] : words[3];
  return (bits >> half_shift(index) & 0xffffu) >= dropout.threshold ? dropout.factor : 0;
}
__device__ inline float dropped(const Dropout& dropout, uint64_t index, float x) {
  if (dropout.rate == 0) return x;
  const float factor = dropout_factor(dropout, index);
  return factor == 0 ? 0 : x * factor;
}

}  // namespace locus::kernel::cuda
