// Cross entropy, with a block for a row.
#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {
namespace {

// Calls f(c, count, x) for the eights of row n that this thread has.
template <class F>
__device__ void each_logit(const NumbersIn& logits, int64_t n, F f) {
  for (int64_t c = int64_t{8} * threadIdx.x; c < logits.cols; c += 8 * kThreads) {
    const int count = static_cast<int>(smaller(8, logits.cols - c));
    float x[8];
    load(logits, n, c, count, x);
    f(c, count, x);
  }
}

}  // namespace

LOCUS_KERNEL locus_cross_entropy(const CrossEntropyParams p) {
  const int64_t n = blockIdx.x, V = p.logits.cols;
  const auto weight = [&](int64_t c) { return p.weights != nullptr ? p.weights[c] : 1.0f; };
  float own_largest = -INFINITY, own_sum = 0, smooth = 0;
  each_logit(p.logits, n, [&](int64_t, int count, const float(&x)[8]) {
    float of_eight = -INFINITY;
#pragma unroll
    for (int i = 0; i < 8; ++i) of_eight = i < count ? fmaxf(of_eight, x[i]) : of_eight;
    if (of_eight > own_largest) {  // the sum is relative to the largest so far
      own_sum *= own_largest == -INFINITY ? 0 : expf(own_largest - of_eight);
      own_largest = of_eight;
    }
    // As long as nothing is larger than -infinity, only NaN adds to the sum.
    const float from = own_largest == -INFINITY ? 0 : own_largest;
#pragma unroll
    for (int i = 0; i < 8; ++i) own_sum += i < count ? expf(x[i] - from) : 0;
  });
  const float largest = block_max(own_largest);
  const float sum = block_sum(own_largest == -INFINITY ? own_sum : own_sum * expf(own_largest - largest));
  // x - lse in two steps: lse itself may be so large that its rounding is all of the loss.
  const float above = logf(sum);
  const auto surprise = [&](float x) { return largest - x + above; };
  if (p.smoothing != 0) {
    each_logit(p.logits, n, [&](int64_t c, int count, const float(&x)[8]) {
#pragma unroll
      for (int i = 0; i < 8; ++i) smooth += i < count ? weight(c + i) * surprise(x[i]) : 0;
    });
    smooth = block_sum(smooth);
  }
  if (threadIdx.x != 0) return;
  p.lse[n] = largest + above;
  const int32_t target = p.targets[n];
  p.loss[n] = 0;
  if (target < 0) return;  // ignored
  const float picked = weight(target) * surprise(number_at(p.logits, n, target));
  p.loss[n] = (1 - p.smoothing) * picked + p.smoothing / static_cast<float>(V) * smooth;
}

LOCUS_KERNEL locus_cross_entropy_backward(const CrossEntropyBackwardParams p) {
  const int64_t n = blockIdx.x, V = p.logits.cols;
  const int32_t target = p.targets[n];
  float weight_sum = static_cast<float>(V);
  if (p.weights != nullptr && p.smoothing != 0) {
    weight_sum = 0;
    for (int64_t c = threadIdx.x; c < V; c += kThreads) weight_sum += p.weights[c];
    weight_sum = block_sum(weight_sum);
  }
  const float s = p.smoothing, dloss = static_cast<float>(p.dloss[0] / p.divisor);
  const float of_target = target < 0 ? 0 : (1 - s) * (p.weights != nullptr ? p.weights[target] : 1.0f);
  const float smooth = s / static_cast<float>(V), lse = p.lse[n];
  each_logit(p.logits, n, [&](int64_t c, int count, float(&x)[8]) {
    float weight[8];
    if (s != 0) load(p.weights, c, count, weight, 1);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float probability = expf(x[i] - lse);
      const float picked = of_target * (probability - (c + i == target ? 1.0f : 0.0f));
      const float rest = s != 0 ? smooth * (probability * weight_sum - weight[i]) : 0;
      x[i] = target < 0 ? 0 : dloss * (picked + rest);
    }
    store(p.dlogits, n, c, count, x);
  });
}

}  // namespace locus::kernel::cuda
