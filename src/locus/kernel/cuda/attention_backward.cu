// Attention backward: queries, keys, values and the dense term. Blocks of queries add up dq and blocks of
// keys add up dk and dv, each from all pairs that they have, so nothing is added by two blocks.
#include "locus/kernel/cuda/attention_gradients.cuh"

namespace locus::kernel::cuda {
namespace {

// sums[r][s] += sum over n of weights[n][4 y + r] times component column + 4 x + s of the table row of the
// pair. A row is a query and n a key if kQueryRows, else the reverse.
template <bool kQueryRows>
__device__ void add_slot_rows(const AttentionParams& f, const Slots& term, const Part& part, int64_t i0,
                              int64_t j0, int64_t column, const float (&weights)[kTileSize][kRow],
                              Fragment& sums) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  for (int n = 0; n < kTileSize; ++n) {
#pragma unroll
    for (int r = 0; r < kSide; ++r) {
      const int64_t i = i0 + (kQueryRows ? 4 * y + r : n), j = j0 + (kQueryRows ? n : 4 * y + r);
      const float weight = weights[n][4 * y + r];
      if (i >= part.mask.queries || j >= part.mask.keys || weight == 0) continue;
      const float* const row = slot_row(f, term, part, distance_of(f, part, i, j));
#pragma unroll
      for (int s = 0; s < kSide; ++s) {
        const int64_t c = column + 4 * x + s;
        if (c < f.head_size) sums.at[r][s] = __fmaf_rn(weight, row[c], sums.at[r][s]);
      }
    }
  }
}

// Writes rows 4 y + r < count of a tile that starts at `row`, columns `column` + 4 x + s of a head of
// head_size.
__device__ void put_tile(Out to, const Fragment& sums, float scale, int64_t row, int64_t count, int64_t head,
                         int64_t head_size, int64_t column) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
#pragma unroll
  for (int e = 0; e < kSide * kSide; ++e) {
    const int64_t r = 4 * y + e / kSide, c = column + 4 * x + e % kSide;
    if (r < count && c < head_size)
      to.at(row + r, head * head_size + c) = scale * sums.at[e / kSide][e % kSide];
  }
}

// Adds the gradients of a tile, which are in `scores` [key][query], to those of their distances. Positions
// are contiguous, so a diagonal of the tile is a distance; column + key - query is its column.
__device__ void add_diagonals(const float (&scores)[kTileSize][kRow], Out parts, int64_t row,
                              int64_t column) {
  const int diagonal = static_cast<int>(threadIdx.x) - (kTileSize - 1);  // key - query
  if (diagonal >= kTileSize || column + diagonal < 0 || column + diagonal >= parts.cols) return;
  float sum = 0;
  for (int i = diagonal < 0 ? -diagonal : 0; i < kTileSize && i + diagonal < kTileSize; ++i) {
    sum += scores[i + diagonal][i];
  }
  parts.at(row, column + diagonal) += sum;
}

}  // namespace

// delta = dout . out, a warp for a row of a head.
LOCUS_KERNEL locus_attention_delta(const __grid_constant__ AttentionBackwardParams p) {
  const AttentionParams& f = p.forward;
  const int64_t warp = (int64_t{blockIdx.x} * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= f.q.rows * f.heads) return;
  const int64_t row = warp / f.heads, column = warp % f.heads * f.head_size;
  float sum = 0;
  for (int64_t c = lane; c < f.head_size; c += 32)
    sum += p.dout.at(row, column + c) * f.out.at(row, column + c);
  sum = warp_sum(sum);
  if (lane == 0) p.delta[warp] = sum;
}

// Grid: tiles of queries, heads, pieces of 64 components.
LOCUS_KERNEL locus_attention_queries(const __grid_constant__ AttentionBackwardParams p) {
  __shared__ __align__(16) Shared shared;
  __shared__ __align__(16) float weights[kTileSize][kRow];
  const AttentionParams& f = p.forward;
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  const int64_t b = sequence_of(blockIdx.x, f.query_starts, f.sequences);
  const int64_t i0 = (blockIdx.x - first_tile(f.query_starts[b], b)) * kTile,
                column = int64_t{blockIdx.z} * kTile;
  const bool by_tile = p.distance_parts && blockIdx.z == 0;
  const int64_t strip = int64_t{blockIdx.x} * gridDim.y + blockIdx.y;
  if (by_tile) {
    for (int64_t d = thread; d < p.distance_parts.cols; d += kThreads) p.distance_parts.at(strip, d) = 0;
  }
  if (i0 >= f.query_starts[b + 1] - f.query_starts[b]) return;
  const Part part = part_of(f, b, blockIdx.y);
  const int64_t last = smaller(part.mask.queries, i0 + kTile);
  const Range seen = part.mask.keys_of(i0, last);
  Fragment dq = {};
  for (int64_t j0 = seen.first / kTile * kTile; j0 < seen.last; j0 += kTile) {
    Fragment unused, scores;
    tile_gradients<true>(p, part, shared, i0, j0, unused, scores);
    if (p.ddense && blockIdx.z == 0) {
#pragma unroll
      for (int e = 0; e < kSide * kSide; ++e) {
        const int64_t i = i0 + 4 * y + e / kSide, j = j0 + 4 * x + e % kSide;
        if (i < part.mask.queries && j < part.mask.keys && part.mask.sees(i, j)) {
          p.ddense.at(part.head, part.pairs + i * part.mask.keys + j) = scores.at[e / kSide][e % kSide];
        }
      }
    }
    put_transposed(weights, scores);
    if (by_tile) {
      __syncthreads();
      const int64_t shift = f.key_positions[part.k] - f.query_positions[part.q];
      add_diagonals(weights, p.distance_parts, strip, f.distance_zero + shift + j0 - i0);
    }
    if (!p.dq) continue;
    add_rows(
        shared, weights,
        [&](int n, int c) {
          const bool inside = j0 + n < part.mask.keys && column + c < f.head_size;
          return inside ? key(f, part, j0 + n, column + c) : 0.0f;
        },
        dq);
    if (f.by_query.table) add_slot_rows<true>(f, f.by_query, part, i0, j0, column, weights, dq);
  }
  if (p.dq) put_tile(p.dq, dq, f.scale, part.q + i0, last - i0, part.head, f.head_size, column);
}

// Grid: tiles of keys, key heads, pieces of 64 components. A block goes over the heads that share its key
// head.
LOCUS_KERNEL locus_attention_keys(const __grid_constant__ AttentionBackwardParams p) {
  __shared__ __align__(16) Shared shared;
  __shared__ __align__(16) float weights[kTileSize][kRow];
  const AttentionParams& f = p.forward;
  const int64_t b = sequence_of(blockIdx.x, f.key_starts, f.sequences);
  const int64_t j0 = (blockIdx.x - first_tile(f.key_starts[b], b)) * kTile,
                column = int64_t{blockIdx.z} * kTile;
  if (j0 >= f.key_starts[b + 1] - f.key_starts[b]) return;
  const int64_t group = f.heads / f.key_heads;
  Part part = part_of(f, b, blockIdx.y * group);
  const int64_t last = smaller(part.mask.keys, j0 + kTile);
  const Range seen = part.mask.queries_of(j0, last);
  Fragment dk = {}, dv = {};
  for (int64_t h = 0; h < group; ++h) {
    part.head = blockIdx.y * group + h;
    for (int64_t i0 = seen.first / kTile * kTile; i0 < seen.last; i0 += kTile) {
      Fragment of_values, scores;
      tile_gradients<false>(p, part, shared, i0, j0, of_values, scores);
      if (p.dv) {
        put_transposed(weights, of_values);
        add_rows(
            shared, weights,
            [&](int n, int c) {
              const bool inside = i0 + n < part.mask.queries && column + c < f.head_size;
              return inside ? output_gradient(p, part, i0 + n, column + c) : 0.0f;
            },
            dv);
      }
      if (p.dk) {
        put_transposed(weights, scores);
        add_rows(
            shared, weights,
            [&](int n, int c) {
              const bool inside = i0 + n < part.mask.queries && column + c < f.head_size;
              return inside ? query(f, part, i0 + n, column + c) : 0.0f;
            },
            dk);
        if (f.by_key.table) add_slot_rows<false>(f, f.by_key, part, i0, j0, column, weights, dk);
      }
    }
  }
  if (p.dk) put_tile(p.dk, dk, f.scale, part.k + j0, last - j0, part.key_head, f.head_size, column);
  if (p.dv) put_tile(p.dv, dv, 1, part.k + j0, last - j0, part.key_head, f.head_size, column);
}

}  // namespace locus::kernel::cuda
