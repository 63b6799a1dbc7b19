// Attention backward. Blocks of queries add up dq and blocks of keys add up dk and dv, each from all pairs
// that they have, so nothing is added by two blocks. The gradients of tables are summed along distances.
#include "locus/kernel/cuda/attention.cuh"

namespace locus::kernel::cuda {
namespace {

__device__ float output_gradient(const AttentionBackwardParams& p, const Part& part, int64_t i, int64_t c) {
  return p.dout.at(part.q + i, part.head * p.forward.head_size + c);
}

struct Gradient {
  float weight = 0;  // after dropout: the factor of the value
  float score = 0;   // of the score before the cap and without `scale`
};

// Of a pair that is seen, from its products q.k and dout.v.
__device__ Gradient gradient_of(const AttentionBackwardParams& p, const Part& part, int64_t i, int64_t j,
                                float dot, float dweight) {
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
    return j0 + r < part.mask.keys ? key(f, part, j0 + r, c) : 0.0f;
  };
  const auto of_dout = [&](int r, int64_t c) {
    return i0 + r < part.mask.queries ? output_gradient(p, part, i0 + r, c) : 0.0f;
  };
  const auto of_value = [&](int r, int64_t c) {
    return j0 + r < part.mask.keys ? value(f, part, j0 + r, c) : 0.0f;
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
    if (i < part.mask.queries && j < part.mask.keys && part.mask.sees(i, j)) {
      of_pair = gradient_of(p, part, i, j, scores.at[r][s], weights.at[r][s]);
    }
    weights.at[r][s] = of_pair.weight;
    scores.at[r][s] = of_pair.score;
  }
}

// Writes a fragment so that add_rows() sums over its columns.
__device__ void put_transposed(float (&to)[kTileSize][kRow], const Fragment& from) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  __syncthreads();  // what was there has been read
#pragma unroll
  for (int e = 0; e < kSide * kSide; ++e)
    to[4 * x + e % kSide][4 * y + e / kSide] = from.at[e / kSide][e % kSide];
}

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
    if (!p.dq) continue;
    put_transposed(weights, scores);
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

// Grid: distances, heads, pieces of 128 components. A warp takes every eighth query, and the warps are added
// in order.
LOCUS_KERNEL locus_attention_distances(const __grid_constant__ AttentionDistanceParams p) {
  constexpr int kWarps = kThreads / 32, kColumns = 4;
  const AttentionParams& f = p.backward.forward;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t distance = blockIdx.x - p.zero, column = int64_t{blockIdx.z} * 32 * kColumns;
  float total = 0, vector[kColumns] = {};
  const auto add_pair = [&](const Part& part, int64_t i, int64_t j) {
    float dot = 0, dweight = 0;
    for (int64_t c = lane; c < f.head_size; c += 32) {
      dot = __fmaf_rn(query(f, part, i, c), key(f, part, j, c), dot);
      dweight = __fmaf_rn(output_gradient(p.backward, part, i, c), value(f, part, j, c), dweight);
    }
    const float score = gradient_of(p.backward, part, i, j, warp_sum(dot), warp_sum(dweight)).score;
    total += score;
#pragma unroll
    for (int t = 0; t < kColumns; ++t) {
      const int64_t c = column + 32 * t + lane;
      if (p.what == kOfTerm || c >= f.head_size) continue;
      vector[t] += score * (p.what == kOfQuery ? query(f, part, i, c) : key(f, part, j, c));
    }
  };
  int64_t pairs = 0;
  for (int64_t b = 0; b < f.sequences; ++b) {
    const int64_t q = f.query_starts[b], k = f.key_starts[b], head = blockIdx.y;
    const Mask mask = {f.query_starts[b + 1] - q, f.key_starts[b + 1] - k, f.causal, f.window};
    const Part part = {b, head, head / (f.heads / f.key_heads), q, k, pairs, mask};
    pairs += mask.queries * mask.keys;
    if (mask.queries == 0 || mask.keys == 0) continue;
    if (f.contiguous) {  // key = query + shift
      const int64_t shift = distance + f.query_positions[q] - f.key_positions[k];
      for (int64_t i = larger(0, -shift) + warp; i < smaller(mask.queries, mask.keys - shift); i += kWarps) {
        if (mask.sees(i, i + shift)) add_pair(part, i, i + shift);
      }
      continue;
    }
    for (int64_t i = warp; i < mask.queries; i += kWarps) {
      const int64_t position = f.query_positions[q + i] + distance;
      for (int64_t first = 0; first < mask.keys; first += 32) {
        const int64_t own = first + lane;
        unsigned hits = __ballot_sync(
            0xffffffffu, own < mask.keys && f.key_positions[k + own] == position && mask.sees(i, own));
        for (; hits != 0; hits &= hits - 1) add_pair(part, i, first + __ffs(static_cast<int>(hits)) - 1);
      }
    }
  }
  __shared__ float of_warps[kWarps][32 * kColumns];
#pragma unroll
  for (int t = 0; t < kColumns; ++t) of_warps[warp][32 * t + lane] = p.what == kOfTerm ? total : vector[t];
  __syncthreads();
  const int c = static_cast<int>(threadIdx.x);
  if (c >= 32 * kColumns) return;
  float sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += of_warps[w][c];
  if (p.what == kOfTerm) {
    if (c == 0) p.sums.at(blockIdx.y, blockIdx.x) = sum;
  } else if (column + c < f.head_size) {
    p.sums.at(int64_t{blockIdx.y} * gridDim.x + blockIdx.x, column + c) = sum;
  }
}

// Grid: slots, pieces of kThreads columns of the table.
LOCUS_KERNEL locus_attention_slots(const __grid_constant__ AttentionSlotParams p) {
  const int64_t slot = blockIdx.x, column = int64_t{blockIdx.y} * kThreads + threadIdx.x;
  if (column >= p.gradient.cols) return;
  const int64_t c = column % p.head_size, first = p.shared ? 0 : column / p.head_size;
  const int64_t last = p.shared ? p.heads : first + 1;
  float sum = 0;
  for (int64_t head = first; head < last; ++head) {
    for (int64_t d = 0; d < p.distances; ++d) {
      if (p.slots[d] == slot) sum += p.sums.at(head * p.distances + d, c);
    }
  }
  p.gradient.at(slot, column) = p.scale * sum;
}

}  // namespace locus::kernel::cuda
