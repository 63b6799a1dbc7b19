// Attention forward. A block has a tile of queries of one head and 64 columns of the output. It goes over the
// keys that they see, 64 at a time, and keeps the largest score and the sum of every row.
#include "locus/kernel/cuda/attention.cuh"

namespace locus::kernel::cuda {

// Grid: tiles of queries, heads, pieces of 64 columns of the values.
LOCUS_KERNEL locus_attention(const __grid_constant__ AttentionParams p) {
  __shared__ __align__(16) Shared shared;
  __shared__ __align__(16) float weights[kTileSize][kRow];  // [key][query]
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  const int64_t b = sequence_of(blockIdx.x, p.query_starts, p.sequences);
  const int64_t i0 = (blockIdx.x - first_tile(p.query_starts[b], b)) * kTile,
                column = int64_t{blockIdx.z} * kTile;
  if (i0 >= p.query_starts[b + 1] - p.query_starts[b]) return;
  const Part part = part_of(p, b, blockIdx.y);
  const int64_t queries = part.mask.queries, keys = part.mask.keys;
  const Range seen = part.mask.keys_of(i0, smaller(queries, i0 + kTile));

  float largest[kSide], sum[kSide];
  Fragment result = {};
#pragma unroll
  for (int r = 0; r < kSide; ++r) {
    largest[r] = -INFINITY;
    sum[r] = 0;
  }
  // Tiles of keys start at multiples of 64, so that a row adds in the same order whatever rows are in its
  // tile.
  for (int64_t j0 = seen.first / kTile * kTile; j0 < seen.last; j0 += kTile) {
    Fragment scores;
    multiply_rows(
        shared, p.head_size,
        [&](int r, int64_t c) { return i0 + r < queries ? query(p, part, i0 + r, c) : 0.0f; },
        [&](int s, int64_t c) { return j0 + s < keys ? key(p, part, j0 + s, c) : 0.0f; }, scores);
    float scale_of[kSide];
#pragma unroll
    for (int r = 0; r < kSide; ++r) {
      const int64_t i = i0 + 4 * y + r;
      float tile_largest = -INFINITY;
#pragma unroll
      for (int s = 0; s < kSide; ++s) {
        const int64_t j = j0 + 4 * x + s;
        const bool visible = i < queries && j < keys && part.mask.sees(i, j);
        scores.at[r][s] = visible ? score_of(p, part, i, j, scores.at[r][s]) : -INFINITY;
        tile_largest = fmaxf(tile_largest, scores.at[r][s]);
      }
      for (int mask = 8; mask > 0; mask /= 2) {
        tile_largest = fmaxf(tile_largest, __shfl_xor_sync(0xffffffffu, tile_largest, mask));
      }
      const float now_largest = fmaxf(largest[r], tile_largest);
      scale_of[r] = now_largest == largest[r] ? 1 : expf(largest[r] - now_largest);
      largest[r] = now_largest;
      float tile_sum = 0;
#pragma unroll
      for (int s = 0; s < kSide; ++s) {
        const int64_t j = j0 + 4 * x + s;
        // A score of -infinity has no weight, even if there is no other.
        float weight = scores.at[r][s] == -INFINITY ? 0 : expf(scores.at[r][s] - now_largest);
        tile_sum += weight;
        if (weight != 0) weight *= weight_factor(p, part, i, j);
        scores.at[r][s] = weight;
      }
      for (int mask = 8; mask > 0; mask /= 2) tile_sum += __shfl_xor_sync(0xffffffffu, tile_sum, mask);
      sum[r] = sum[r] * scale_of[r] + tile_sum;
    }
    __syncthreads();  // the weights of the last tile have been read
#pragma unroll
    for (int i = 0; i < kSide * kSide; ++i) {
      weights[4 * x + i % kSide][4 * y + i / kSide] = scores.at[i / kSide][i % kSide];
      result.at[i / kSide][i % kSide] *= scale_of[i / kSide];
    }
    add_rows(
        shared, weights,
        [&](int n, int c) {
          const bool inside = j0 + n < keys && column + c < p.head_size;
          return inside ? value(p, part, j0 + n, column + c) : 0.0f;
        },
        result);
  }
#pragma unroll
  for (int r = 0; r < kSide; ++r) {
    const int64_t i = i0 + 4 * y + r;
    if (i >= queries) continue;
    for (int s = 0; s < kSide; ++s) {
      const int64_t c = column + 4 * x + s;
      if (c >= p.head_size) continue;
      p.out.at(part.q + i, part.head * p.head_size + c) = sum[r] == 0 ? 0 : result.at[r][s] / sum[r];
    }
    if (p.lse && x == 0 && blockIdx.z == 0) {
      p.lse.at(part.q + i, part.head) = sum[r] == 0 ? -INFINITY : largest[r] + logf(sum[r]);
    }
  }
}

}  // namespace locus::kernel::cuda
