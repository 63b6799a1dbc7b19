// Attention backward on tensor cores: the gradients of keys and values. A block has a tile of keys of one key
// head and goes over the queries that see them, of all heads that share the key head. Scores are computed
// transposed, so that weights are the left side of the products as they are.
#include "locus/kernel/cuda/attention_mma_gradients.cuh"

namespace locus::kernel::cuda {
namespace {

template <int D, int kTerms>
__device__ inline void gradients_of_keys(const AttentionMmaBackwardParams& p) {
  constexpr int M = backward_pieces(D), N = 4, kOwn = backward_rows(D), kStrip = kOwn + kOther;
  constexpr uint32_t kOwnBytes = kOwn * Rows<D>::kBytes, kTileBytes = kOther * Rows<D>::kBytes;
  extern __shared__ __align__(128) unsigned char memory[];
  const AttentionMmaParams& f = p.forward;
  const uint32_t key_tile = shared_address(memory), value_tile = key_tile + kOwnBytes,
                 query_tiles = value_tile + kOwnBytes, dout_tiles = query_tiles + 2 * kTileBytes,
                 numbers = dout_tiles + 2 * kTileBytes;
  // Of two tiles: for every query the log of its sum, then delta; then the biases.
  const float* const floats = reinterpret_cast<const float*>(memory + (numbers - key_tile));
  constexpr uint32_t kStrips = 4 * kOther;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int t = lane % 4, g = lane / 4;
  // The keys that most queries of causal attention see come first.
  const int key_head = static_cast<int>(blockIdx.x % static_cast<unsigned>(f.key_heads));
  const Place place = place_of(f, blockIdx.x / static_cast<unsigned>(f.key_heads), f.key_starts, kOwn);
  const int j0 = place.first, group = f.heads / f.key_heads;
  const Band& band = place.queries_of_key;
  if (j0 >= place.keys) return;
  const Tiles tiles = tiles_of(band, j0, min(kOwn, place.keys - j0));
  const bool biased = kTerms != kNoTerms && f.by_distance;

  const auto start_tile = [&](int tile, int head, uint32_t stage) {
    const int i0 = tiles.first + tile * kOther, rest = place.queries - i0;
    start_rows<D, kOther>(query_tiles + stage * kTileBytes, &f.q.at(place.q + i0, head * D),
                          static_cast<int>(f.q.stride), rest);
    start_rows<D, kOther>(dout_tiles + stage * kTileBytes, &p.dout.at(place.q + i0, head * D),
                          static_cast<int>(p.dout.stride), rest);
    const int row = thread % kOther;
    const Out& from = thread < kOther ? p.lse : p.delta;
    start_copy_4(numbers + 4 * (stage * 2 * kOther + static_cast<uint32_t>(thread)),
                 &from.at(head, place.q + (row < rest ? i0 + row : 0)), row < rest);
    if (!biased) return;
    start_strip<kStrip>(numbers + 4 * (kStrips + stage * kStrip), &f.by_distance.at(head, 0),
                        f.by_distance.cols, distance_column(f, place) + j0 - i0 - (kOther - 1));
  };
  if (tiles.count > 0) {
    const int column = key_head * D, rest = place.keys - j0;
    start_rows<D, kOwn>(key_tile, &f.k.at(place.k + j0, column), static_cast<int>(f.k.stride), rest);
    start_rows<D, kOwn>(value_tile, &f.v.at(place.k + j0, column), static_cast<int>(f.v.stride), rest);
    start_tile(0, key_head * group, 0);
  }

  const int warp_row = j0 + warp * 16 * M;
  const Lanes<D> lanes;
  OwnRows<D, M, D <= 32> keys, values;
  keys.address = key_tile + static_cast<uint32_t>(warp) * 16 * M * Rows<D>::kBytes;
  values.address = value_tile + static_cast<uint32_t>(warp) * 16 * M * Rows<D>::kBytes;
  const float unit = unit_of<kTerms>(f);
  Sums<M, D / 8> dk, dv;
  dk.clear();
  dv.clear();
  // Tiles are counted over all heads of the group, for the two places in shared memory.
  int tile = 0, head = key_head * group;
  uint32_t stage = 0;
  for (int count = tiles.count * group; count > 0; --count) {
    wait_for_copies();
    __syncthreads();
    if constexpr (D <= 32) {
      if (count == tiles.count * group) {
        keys.load(lanes);
        values.load(lanes);
      }
    }
    const int i0 = tiles.first + tile * kOther, now_head = head;
    const uint32_t now_stage = stage;
    ++tile;
    stage ^= 1;
    if (tile == tiles.count) {
      tile = 0;
      ++head;
    }
    if (count > 1) start_tile(tile, head, stage);
    if (warp_row >= place.keys || band.has_none(warp_row, 16 * M, i0)) continue;
    const bool whole = band.has_all(warp_row, 16 * M, i0);
    const float* const of_queries = floats + now_stage * 2 * kOther;
#pragma unroll
    for (int part = 0; part < kOther / (8 * N); ++part) {
      const uint32_t rows = static_cast<uint32_t>(part * 8 * N) * Rows<D>::kBytes + now_stage * kTileBytes;
      Sums<M, N> weights, gradients;
      const float* const strip =
          floats + kStrips + now_stage * kStrip + kOther - 1 + warp * 16 * M - part * 8 * N;
      multiply_rows<D>(weights, keys, query_tiles + rows, lanes);
      multiply_rows<D>(gradients, values, dout_tiles + rows, lanes);
      add_terms<kTerms, false>(f, strip, weights);
      // A lane has the bits of one query and the keys of the warp.
      const bool drops = kTerms == kAllTerms && f.dropout.rate != 0;
      uint32_t own_bits = 0;
      if (drops) {
        const int64_t row = int64_t{now_head} * f.q.rows + place.q + i0 + part * 8 * N + lane;
        own_bits = kept_bits<16 * M>(f.dropout, static_cast<uint64_t>(row * f.longest + warp_row));
      }
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const int column = (part * N + n) * 8 + 2 * t, i = i0 + column;
        const float2 lse = *reinterpret_cast<const float2*>(of_queries + column),
                     delta = *reinterpret_cast<const float2*>(of_queries + kOther + column);
        uint32_t bits[2] = {~0u, ~0u};
        if (drops) {
          bits[0] = __shfl_sync(0xffffffffu, own_bits, 8 * n + 2 * t) >> g;
          bits[1] = __shfl_sync(0xffffffffu, own_bits, 8 * n + 2 * t + 1) >> g;
        }
#pragma unroll
        for (int octet = 0; octet < 2 * M; ++octet) {
          const int m = octet / 2, j = warp_row + 8 * octet + g;
#pragma unroll
          for (int c = 0; c < 2; ++c) {
            float& weight = weights.at[m][n][octet % 2 * 2 + c];
            float& gradient = gradients.at[m][n][octet % 2 * 2 + c];
            float slope = 1;
            if (kTerms == kAllTerms && f.cap != 0) weight = capped(f, weight, slope);
            weight = exp2_of(__fmaf_rn(weight, unit, -(c == 0 ? lse.x : lse.y)));
            if (!whole && !band.has(j, i + c)) weight = 0;
            const float row_delta = c == 0 ? delta.x : delta.y;
            if constexpr (kTerms == kAllTerms) {
              const bool kept = bits[c] >> (8 * octet) & 1;
              gradient = weight * __fmaf_rn(kept ? f.dropout.factor : 0, gradient, -row_delta) * slope;
              if (!kept) weight = 0;
            } else {
              gradient = weight * (gradient - row_delta);
            }
          }
        }
      }
      add_rows<D>(dv, weights, dout_tiles + rows, lanes);
      add_rows<D>(dk, gradients, query_tiles + rows, lanes);
    }
  }
  if (warp_row >= place.keys) return;
  const int rest = place.keys - warp_row, column = key_head * D;
  if (p.dk) {
    put_rows<D, M>(memory + warp * 16 * M * Rows<D>::kBytes, dk, &p.dk.at(place.k + warp_row, column),
                   p.dk.stride, rest, [&](uint32_t, uint32_t) { return f.scale; });
  }
  if (p.dv) {
    put_rows<D, M>(memory + warp * 16 * M * Rows<D>::kBytes, dv, &p.dv.at(place.k + warp_row, column),
                   p.dv.stride, rest,
                   [&](uint32_t, uint32_t) { return kTerms == kAllTerms ? f.dropout.factor : 1; });
  }
}

}  // namespace

#define LOCUS_KEYS(D, name, terms)                            \
  LOCUS_MMA_KERNEL locus_attention_mma_keys_##D##_##name(     \
      const __grid_constant__ AttentionMmaBackwardParams p) { \
    gradients_of_keys<D, terms>(p);                           \
  }
LOCUS_KEYS(32, plain, kNoTerms)
LOCUS_KEYS(32, all, kAllTerms)
LOCUS_KEYS(64, plain, kNoTerms)
LOCUS_KEYS(64, distances, kDistances)
LOCUS_KEYS(64, all, kAllTerms)
LOCUS_KEYS(96, plain, kNoTerms)
LOCUS_KEYS(96, all, kAllTerms)
LOCUS_KEYS(128, plain, kNoTerms)
LOCUS_KEYS(128, distances, kDistances)
LOCUS_KEYS(128, all, kAllTerms)

}  // namespace locus::kernel::cuda
