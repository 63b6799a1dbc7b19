// Attention backward: the tables over distances. A block has its own distances and goes over all pairs that
// have them.
#include "locus/kernel/cuda/attention_gradients.cuh"

namespace locus::kernel::cuda {

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

// The sums of kOfQuery or kOfKey, if positions are contiguous. Grid: bands of 64 distances, heads, pieces of
// 64 components. The keys of 64 queries that are in a band fill two tiles.
LOCUS_KERNEL locus_attention_bands(const __grid_constant__ AttentionDistanceParams p) {
  __shared__ __align__(16) Shared shared;
  __shared__ __align__(16) float weights[kTileSize][kRow];
  const AttentionParams& f = p.backward.forward;
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  const int64_t band = int64_t{blockIdx.x} * kTile, column = int64_t{blockIdx.z} * kTile;
  const int64_t head = blockIdx.y, key_head = head / (f.heads / f.key_heads);
  Fragment sums = {};
  int64_t pairs = 0;
  for (int64_t b = 0; b < f.sequences; ++b) {
    const int64_t q = f.query_starts[b], k = f.key_starts[b];
    const Mask mask = {f.query_starts[b + 1] - q, f.key_starts[b + 1] - k, f.causal, f.window};
    const Part part = {b, head, key_head, q, k, pairs, mask};
    pairs += mask.queries * mask.keys;
    if (mask.queries == 0 || mask.keys == 0) continue;
    // The band has the pairs with key = query + first + u, for u in [0, 64).
    const int64_t first = band - p.zero + f.query_positions[q] - f.key_positions[k];
    const int64_t last_query = smaller(mask.queries, mask.keys - first);
    for (int64_t i0 = larger(0, -first - kTile + 1) / kTile * kTile; i0 < last_query; i0 += kTile) {
      const Range seen = mask.keys_of(i0, smaller(mask.queries, i0 + kTile));
      for (int t = 0; t < 2; ++t) {
        const int64_t j0 = i0 + first + t * kTile;
        if (j0 >= seen.last || j0 + kTile <= seen.first) continue;
        Fragment unused, scores;
        tile_gradients<true>(p.backward, part, shared, i0, j0, unused, scores);
        put_transposed(weights, scores);
        __syncthreads();  // tile_gradients() has read `shared`
        for (int n = thread / kTileSize; n < kTileSize; n += kThreads / kTileSize) {
          const int64_t c = column + thread % kTileSize, i = i0 + n, j = j0 + n;
          float number = 0;
          if (c < f.head_size && p.what == kOfQuery && i < mask.queries) number = query(f, part, i, c);
          if (c < f.head_size && p.what == kOfKey && has_key(part, j)) number = key(f, part, j, c);
          shared.rows[n][thread % kTileSize] = number;
        }
        __syncthreads();
        for (int n = 0; n < kTileSize; ++n) {
#pragma unroll
          for (int r = 0; r < kSide; ++r) {
            // u = key - query + 64 t, counted in the tile.
            const int u = 4 * y + r - t * kTileSize, other = p.what == kOfQuery ? n + u : n - u;
            if (other < 0 || other >= kTileSize) continue;
            const float weight = p.what == kOfQuery ? weights[other][n] : weights[n][other];
#pragma unroll
            for (int s = 0; s < kSide; ++s) {
              sums.at[r][s] = __fmaf_rn(weight, shared.rows[n][4 * x + s], sums.at[r][s]);
            }
          }
        }
      }
    }
  }
#pragma unroll
  for (int e = 0; e < kSide * kSide; ++e) {
    const int64_t distance = band + 4 * y + e / kSide, c = column + 4 * x + e % kSide;
    if (distance < p.distances && c < f.head_size) {
      p.sums.at(head * p.distances + distance, c) = sums.at[e / kSide][e % kSide];
    }
  }
}

// Grid: pieces of kThreads distances, heads.
LOCUS_KERNEL locus_attention_strips(const __grid_constant__ AttentionStripParams p) {
  const int64_t d = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (d >= p.gradient.cols) return;
  float sum = 0;
  for (int64_t tile = 0; tile < p.tiles; ++tile) sum += p.parts.at(tile * gridDim.y + blockIdx.y, d);
  p.gradient.at(blockIdx.y, d) = sum;
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
