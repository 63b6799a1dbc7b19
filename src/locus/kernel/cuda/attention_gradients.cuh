// Gradients of the scores of a tile of pairs, computed again from queries, keys and values.
#pragma once

#include "locus/kernel/cuda/attention.cuh"

namespace locus::kernel::cuda {

__device__ inline float output_gradient(const AttentionBackwardParams& p, const Part& part, int64_t i,
                                        int64_t c) {
  return p.dout.at(part.q + i, part.head * p.forward.head_size + c);
}

// Tiles of bands may start before the first key.
__device__ inline bool has_key(const Part& part, int64_t j) { return j >= 0 && j < part.mask.keys; }

struct Gradient {
  float weight = 0;  // after dropout: the factor of the value
  float score = 0;   // of the score before the cap and without `scale`
};

// Of a pair that is seen, from its products q.k and dout.v.
__device__ inline Gradient gradient_of(const AttentionBackwardParams& p, const Part& part, int64_t i,
                                       int64_t j, float dot, float dweight) {
  const AttentionParams& f = p.forward;
  const float lse = f.lse.at(part.q + i, part.head);
  if (lse == -INFINITY) return {};  // the query saw no key
  const float score = score_of(f, part, i, j, dot), weight = expf(score - lse),
              factor = weight_factor(f, part, i, j);
  const float delta = p.delta[(part.q + i) * f.heads + part.head];
  return {weight * factor, weight * (factor * dweight - delta) * slope_of(f, score)};
}

// The gradients of a tile of pairs: rows are queries if kQueryRows, else keys.
template <bool kQueryRows>
__device__ void tile_gradients(const AttentionBackwardParams& p, const Part& part, Shared& shared, int64_t i0,
                               int64_t j0, Fragment& weights, Fragment& scores) {
  const AttentionParams& f = p.forward;
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  const auto of_query = [&](int r, int64_t c) {
    return i0 + r < part.mask.queries ? query(f, part, i0 + r, c) : 0.0f;
  };
  const auto of_key = [&](int r, int64_t c) {
    return has_key(part, j0 + r) ? key(f, part, j0 + r, c) : 0.0f;
  };
  const auto of_dout = [&](int r, int64_t c) {
    return i0 + r < part.mask.queries ? output_gradient(p, part, i0 + r, c) : 0.0f;
  };
  const auto of_value = [&](int r, int64_t c) {
    return has_key(part, j0 + r) ? value(f, part, j0 + r, c) : 0.0f;
  };
  if constexpr (kQueryRows) {
    multiply_rows(shared, f.head_size, of_query, of_key, scores);
    multiply_rows(shared, f.head_size, of_dout, of_value, weights);
  } else {
    multiply_rows(shared, f.head_size, of_key, of_query, scores);
    multiply_rows(shared, f.head_size, of_value, of_dout, weights);
  }
#pragma unroll
  for (int e = 0; e < kSide * kSide; ++e) {
    const int r = e / kSide, s = e % kSide;
    const int64_t i = i0 + (kQueryRows ? 4 * y + r : 4 * x + s),
                  j = j0 + (kQueryRows ? 4 * x + s : 4 * y + r);
    Gradient of_pair;
    if (i < part.mask.queries && has_key(part, j) && part.mask.sees(i, j)) {
      of_pair = gradient_of(p, part, i, j, scores.at[r][s], weights.at[r][s]);
    }
    weights.at[r][s] = of_pair.weight;
    scores.at[r][s] = of_pair.score;
  }
}

// Writes a fragment so that add_rows() sums over its columns.
__device__ inline void put_transposed(float (&to)[kTileSize][kRow], const Fragment& from) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  __syncthreads();  // what was there has been read
#pragma unroll
  for (int e = 0; e < kSide * kSide; ++e)
    to[4 * x + e % kSide][4 * y + e / kSide] = from.at[e / kSide][e % kSide];
}

}  // namespace locus::kernel::cuda
