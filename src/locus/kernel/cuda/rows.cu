// Kernels with a block for a row: norms, the embedding of a model, and cross entropy.
#include "locus/base/half.h"
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {
namespace {

struct Statistics {
  float mean, rstd;
};

// Of a row of C elements x(c).
template <class F>
__device__ Statistics statistics(int64_t C, bool rms, float eps, F x) {
  float sum = 0;
  if (!rms) {
    for (int64_t c = threadIdx.x; c < C; c += kThreads) sum += x(c);
    sum = block_sum(sum);
  }
  const float mean = rms ? 0 : sum / static_cast<float>(C);
  float square = 0;
  for (int64_t c = threadIdx.x; c < C; c += kThreads) {
    const float centered = x(c) - mean;
    square += centered * centered;
  }
  return {mean, 1 / sqrtf(block_sum(square) / static_cast<float>(C) + eps)};
}

// dx(c) = rstd (g - mean(g) - u mean(g u)), with u = unit(c) and g = dy(c) gamma(c).
template <class Dy, class Unit, class Put>
__device__ void row_backward(int64_t C, bool rms, float rstd, const float* gamma, Dy dy, Unit unit, Put put) {
  float g_sum = 0, gu_sum = 0;
  for (int64_t c = threadIdx.x; c < C; c += kThreads) {
    const float g = dy(c) * gamma[c];
    g_sum += g;
    gu_sum += g * unit(c);
  }
  const float g_mean = rms ? 0 : block_sum(g_sum) / static_cast<float>(C);
  const float gu_mean = block_sum(gu_sum) / static_cast<float>(C);
  for (int64_t c = threadIdx.x; c < C; c += kThreads) {
    put(c, rstd * (dy(c) * gamma[c] - g_mean - unit(c) * gu_mean));
  }
}

// Part blockIdx.y of column c of dgamma = sum dy u and dbeta = sum dy. Parts of dbeta follow those of dgamma.
template <class Dy, class Unit>
__device__ void gain_parts(Out parts, int64_t grain, int64_t part_count, int64_t rows, int64_t C, Dy dy,
                           Unit unit) {
  const int64_t c = int64_t{blockIdx.x} * kThreads + threadIdx.x, part = blockIdx.y;
  if (c >= C) return;
  float dgamma = 0, dbeta = 0;
  const int64_t last = smaller(rows, (part + 1) * grain);
  for (int64_t n = part * grain; n < last; ++n) {
    const float d = dy(n, c);
    dgamma += d * unit(n, c);
    dbeta += d;
  }
  parts.at(part, c) = dgamma;
  parts.at(part_count + part, c) = dbeta;
}

__device__ void add_gain_parts(Out parts, int64_t part_count, int64_t C, float* dgamma, float* dbeta) {
  each(1, C, [&](int64_t, int64_t c) {
    float gamma_sum = 0, beta_sum = 0;
    for (int64_t part = 0; part < part_count; ++part) {
      gamma_sum += parts.at(part, c);
      beta_sum += parts.at(part_count + part, c);
    }
    if (dgamma != nullptr) dgamma[c] = gamma_sum;
    if (dbeta != nullptr) dbeta[c] = beta_sum;
  });
}

__device__ float looked_up(const EmbedSource& from, int64_t n, int64_t c) {
  if (from.table.data == nullptr || c < 0 || c >= from.table.cols) return 0;
  const int64_t place = from.ids[n] * from.table.stride + c;
  if (from.bf16) return to_f32(reinterpret_cast<const Bf16*>(from.table.data)[place]);
  return reinterpret_cast<const float*>(from.table.data)[place];
}

__device__ float sum_at(const EmbedParams& p, int64_t n, int64_t c) {
  return p.token_scale * looked_up(p.tokens, n, c) + looked_up(p.positions, n, c - p.position_column) +
         looked_up(p.segments, n, c);
}

}  // namespace

LOCUS_KERNEL locus_norm(const NormParams p) {
  const int64_t n = blockIdx.x;
  const auto x = [&](int64_t c) { return p.x.at(n, c); };
  const auto [mean, rstd] = statistics(p.x.cols, p.rms, p.eps, x);
  for (int64_t c = threadIdx.x; c < p.x.cols; c += kThreads) {
    p.y.at(n, c) = (x(c) - mean) * rstd * p.gamma[c] + (p.beta != nullptr ? p.beta[c] : 0);
  }
  if (threadIdx.x == 0 && p.mean != nullptr) p.mean[n] = mean;
  if (threadIdx.x == 0 && p.rstd != nullptr) p.rstd[n] = rstd;
}

LOCUS_KERNEL locus_norm_backward(const NormBackwardParams p) {
  const int64_t n = blockIdx.x;
  const float mean = p.rms ? 0 : p.mean[n], rstd = p.rstd[n];
  row_backward(
      p.x.cols, p.rms, rstd, p.gamma, [&](int64_t c) { return p.dy.at(n, c); },
      [&](int64_t c) { return (p.x.at(n, c) - mean) * rstd; },
      [&](int64_t c, float value) { p.dx.at(n, c) = value; });
}

// Before locus_norm_backward, which may overwrite dy.
LOCUS_KERNEL locus_norm_gain_parts(const NormBackwardParams p) {
  gain_parts(
      p.parts, p.grain, p.part_count, p.x.rows, p.x.cols, [&](int64_t n, int64_t c) { return p.dy.at(n, c); },
      [&](int64_t n, int64_t c) { return (p.x.at(n, c) - (p.rms ? 0 : p.mean[n])) * p.rstd[n]; });
}

LOCUS_KERNEL locus_norm_gains(const NormBackwardParams p) {
  add_gain_parts(p.parts, p.part_count, p.x.cols, p.dgamma, p.dbeta);
}

LOCUS_KERNEL locus_embed(const EmbedParams p) {
  const int64_t n = blockIdx.x, C = p.y.cols;
  const auto x = [&](int64_t c) { return sum_at(p, n, c); };
  Statistics of_row = {0, 1};
  if (p.gamma != nullptr) of_row = statistics(C, p.rms, p.eps, x);
  for (int64_t c = threadIdx.x; c < C; c += kThreads) {
    float value = x(c);
    if (p.gamma != nullptr) {
      value = (value - of_row.mean) * of_row.rstd * p.gamma[c] + (p.beta != nullptr ? p.beta[c] : 0);
    }
    p.y.at(n, c) = dropped(p.dropout, static_cast<uint64_t>(n * C + c), value);
  }
  if (threadIdx.x == 0 && p.mean != nullptr) p.mean[n] = of_row.mean;
  if (threadIdx.x == 0 && p.rstd != nullptr) p.rstd[n] = of_row.rstd;
}

LOCUS_KERNEL locus_embed_backward(const EmbedBackwardParams p) {
  const EmbedParams& f = p.forward;
  const int64_t n = blockIdx.x, C = p.dx.cols;
  const auto dy = [&](int64_t c) {
    return dropped(f.dropout, static_cast<uint64_t>(n * C + c), p.dy.at(n, c));
  };
  if (f.gamma == nullptr) {
    for (int64_t c = threadIdx.x; c < C; c += kThreads) p.dx.at(n, c) = dy(c);
    return;
  }
  const float mean = f.rms ? 0 : f.mean[n], rstd = f.rstd[n];
  row_backward(
      C, f.rms, rstd, f.gamma, dy, [&](int64_t c) { return (sum_at(f, n, c) - mean) * rstd; },
      [&](int64_t c, float value) { p.dx.at(n, c) = value; });
}

LOCUS_KERNEL locus_embed_gain_parts(const EmbedBackwardParams p) {
  const EmbedParams& f = p.forward;
  const int64_t C = p.dx.cols;
  gain_parts(
      p.parts, p.grain, p.part_count, p.dx.rows, C,
      [&](int64_t n, int64_t c) {
        return dropped(f.dropout, static_cast<uint64_t>(n * C + c), p.dy.at(n, c));
      },
      [&](int64_t n, int64_t c) { return (sum_at(f, n, c) - (f.rms ? 0 : f.mean[n])) * f.rstd[n]; });
}

LOCUS_KERNEL locus_embed_gains(const EmbedBackwardParams p) {
  add_gain_parts(p.parts, p.part_count, p.dx.cols, p.dgamma, p.dbeta);
}

LOCUS_KERNEL locus_cross_entropy(const CrossEntropyParams p) {
  const int64_t n = blockIdx.x, V = p.logits.cols;
  const auto weight = [&](int64_t c) { return p.weights != nullptr ? p.weights[c] : 1.0f; };
  float largest = -INFINITY, sum = 0, smooth = 0;
  for (int64_t c = threadIdx.x; c < V; c += kThreads) largest = fmaxf(largest, p.logits.at(n, c));
  largest = block_max(largest);
  for (int64_t c = threadIdx.x; c < V; c += kThreads) sum += expf(p.logits.at(n, c) - largest);
  // x - lse in two steps: lse itself may be so large that its rounding is all of the loss.
  const float above = logf(block_sum(sum));
  const auto surprise = [&](int64_t c) { return largest - p.logits.at(n, c) + above; };
  if (p.smoothing != 0) {
    for (int64_t c = threadIdx.x; c < V; c += kThreads) smooth += weight(c) * surprise(c);
    smooth = block_sum(smooth);
  }
  if (threadIdx.x != 0) return;
  p.lse[n] = largest + above;
  const int32_t target = p.targets[n];
  p.loss[n] = 0;
  if (target < 0) return;  // ignored
  const float picked = weight(target) * surprise(target);
  p.loss[n] = (1 - p.smoothing) * picked + p.smoothing / static_cast<float>(V) * smooth;
}

LOCUS_KERNEL locus_cross_entropy_backward(const CrossEntropyBackwardParams p) {
  const int64_t n = blockIdx.x, V = p.logits.cols;
  const int32_t target = p.targets[n];
  const auto weight = [&](int64_t c) { return p.weights != nullptr ? p.weights[c] : 1.0f; };
  float weight_sum = static_cast<float>(V);
  if (p.weights != nullptr) {
    weight_sum = 0;
    for (int64_t c = threadIdx.x; c < V; c += kThreads) weight_sum += weight(c);
    weight_sum = block_sum(weight_sum);
  }
  const float s = p.smoothing, of_target = target < 0 ? 0 : (1 - s) * weight(target);
  const float smooth = s / static_cast<float>(V), lse = p.lse[n],
              dloss = static_cast<float>(p.dloss[0] / p.divisor);
  for (int64_t c = threadIdx.x; c < V; c += kThreads) {
    const float probability = expf(p.logits.at(n, c) - lse);
    const float picked = of_target * (probability - (c == target ? 1.0f : 0.0f));
    const float value = dloss * (picked + smooth * (probability * weight_sum - weight(c)));
    p.dlogits.at(n, c) = target < 0 ? 0 : value;
  }
}

}  // namespace locus::kernel::cuda
