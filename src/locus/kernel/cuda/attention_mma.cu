// Attention forward on tensor cores. A block has 128 queries of one head and goes over the keys that they
// see, 64 at a time. While it computes with a tile of keys and values, the next one is copied.
#include "locus/kernel/cuda/attention_mma.cuh"

namespace locus::kernel::cuda {
namespace {

constexpr int kOwn = kForwardRows, kM = kOwn / 16 / kWarps, kStrip = kOwn + kOther;

__device__ inline void cap_scores(const AttentionMmaParams& p, Sums<kM, kOther / 8>& scores) {
  const float inverse = 1 / p.cap;
#pragma unroll
  for (int i = 0; i < kM * kOther / 2; ++i) {
    float& one = scores.at[i / 32][i / 4 % 8][i % 4];
    one = one == -INFINITY ? one : p.cap * quick_tanh(one * inverse);
  }
}

// Removes the weights that dropout does not keep. `row` is the warp's first row of q.
__device__ inline void drop(const AttentionMmaParams& p, int64_t head, int64_t row, int column,
                            Sums<kM, kOther / 8>& weights) {
  static_assert(kM == 2 && kOther == 64);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll 1
  for (int half = 0; half < 2; ++half) {
    const auto first = static_cast<uint64_t>((head * p.q.rows + row + lane) * p.longest + column + 32 * half);
    const uint32_t own = kept_bits<32>(p.dropout, first);
#pragma unroll
    for (int octet = 0; octet < 4; ++octet) {
      const uint32_t bits = __shfl_sync(0xffffffffu, own, 8 * octet + g) >> (2 * t);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        // Both halves, because a loop that runs chooses between them.
        float& one = weights.at[octet / 2][i / 2][octet % 2 * 2 + i % 2];
        const bool kept = bits >> (8 * (i / 2 % 4) + i % 2) & 1;
        if (i / 8 == half && !kept) one = 0;
      }
    }
  }
}

template <int D, int kTerms>
__device__ inline void attention(const AttentionMmaParams& p) {
  constexpr uint32_t kTileBytes = kOther * Rows<D>::kBytes;
  extern __shared__ __align__(128) unsigned char memory[];
  const uint32_t own_tile = shared_address(memory), key_tiles = own_tile + kOwn * Rows<D>::kBytes,
                 value_tiles = key_tiles + 2 * kTileBytes, strips = value_tiles + 2 * kTileBytes;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int t = lane % 4, g = lane / 4;
  // The longest rows of causal attention come first, so that the last blocks are short.
  const unsigned block = gridDim.x - 1 - blockIdx.x;
  const int head = static_cast<int>(block % static_cast<unsigned>(p.heads));
  const Place place = place_of(p, block / static_cast<unsigned>(p.heads), p.query_starts, kOwn);
  const int queries = place.queries, i0 = place.first;
  const Band& band = place.keys_of_query;
  if (i0 >= queries) return;
  const int key_column = head / (p.heads / p.key_heads) * D;
  const Tiles tiles = tiles_of(band, i0, min(kOwn, queries - i0));
  const bool biased = kTerms != kNoTerms && p.by_distance;

  const auto start_tile = [&](int tile) {
    const int j0 = tiles.first + tile * kOther, rest = place.keys - j0;
    const uint32_t stage = static_cast<uint32_t>(tile % 2);
    start_rows<D, kOther>(key_tiles + stage * kTileBytes, &p.k.at(place.k + j0, key_column),
                          static_cast<int>(p.k.stride), rest);
    start_rows<D, kOther>(value_tiles + stage * kTileBytes, &p.v.at(place.k + j0, key_column),
                          static_cast<int>(p.v.stride), rest);
    if (!biased) return;
    start_strip<kStrip>(strips + stage * 4 * kStrip, &p.by_distance.at(head, 0), p.by_distance.cols,
                        distance_column(p, place) + j0 - i0 - (kOwn - 1));
  };
  if (tiles.count > 0) {
    start_rows<D, kOwn>(own_tile, &p.q.at(place.q + i0, head * D), static_cast<int>(p.q.stride),
                        queries - i0);
    start_tile(0);
  }

  const int warp_row = i0 + warp * 16 * kM;
  const Lanes<D> lanes;
  OwnRows<D, kM, D <= 64> own;
  own.address = own_tile + static_cast<uint32_t>(warp) * 16 * kM * Rows<D>::kBytes;
  const float unit = unit_of<kTerms>(p);
  Sums<kM, D / 8> result;
  result.clear();
  float largest[2 * kM], sum[2 * kM];
#pragma unroll
  for (int octet = 0; octet < 2 * kM; ++octet) {
    largest[octet] = -INFINITY;
    sum[octet] = 0;
  }
  for (int tile = 0; tile < tiles.count; ++tile) {
    wait_for_copies();
    __syncthreads();  // every thread's copies are there, and no warp reads the tile before
    if (tile == 0) own.load(lanes);
    if (tile + 1 < tiles.count) start_tile(tile + 1);
    const int j0 = tiles.first + tile * kOther;
    if (warp_row >= queries || band.has_none(warp_row, 16 * kM, j0)) continue;
    const uint32_t stage = static_cast<uint32_t>(tile % 2);
    Sums<kM, kOther / 8> scores;
    const float* const strip = reinterpret_cast<const float*>(memory + (strips - own_tile)) + stage * kStrip +
                               kOwn - 1 - warp * 16 * kM;
    multiply_rows<D>(scores, own, key_tiles + stage * kTileBytes, lanes);
    add_terms<kTerms, true>(p, strip, scores);
    if (kTerms == kAllTerms && p.cap != 0) cap_scores(p, scores);
    if (!band.has_all(warp_row, 16 * kM, j0)) {
#pragma unroll
      for (int i = 0; i < kM * kOther / 2; ++i) {
        const int row = warp_row + 16 * (i / 32) + i % 4 / 2 * 8 + g, j = j0 + i / 4 % 8 * 8 + 2 * t + i % 2;
        if (!band.has(row, j)) scores.at[i / 32][i / 4 % 8][i % 4] = -INFINITY;
      }
    }
    float scale[2 * kM];
    bool grows = false;
#pragma unroll
    for (int octet = 0; octet < 2 * kM; ++octet) {
      const int m = octet / 2, c = octet % 2 * 2;
      float now = largest[octet];
#pragma unroll
      for (int n = 0; n < kOther / 8; ++n) {
        now = fmaxf(now, fmaxf(scores.at[m][n][c], scores.at[m][n][c + 1]));
      }
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
      grows |= now != largest[octet];
      const float base = now == -INFINITY ? 0 : now * unit;
      // Exactly 1 if the largest score stays: then it does not matter whether other rows of the warp see
      // keys.
      scale[octet] = now == largest[octet] ? 1 : exp2_of(__fmaf_rn(largest[octet], unit, -base));
      largest[octet] = now;
      float tile_sum = 0;
#pragma unroll
      for (int i = 0; i < kOther / 4; ++i) {
        float& one = scores.at[m][i / 2][c + i % 2];
        one = exp2_of(__fmaf_rn(one, unit, -base));
        tile_sum += one;
      }
      sum[octet] = __fmaf_rn(sum[octet], scale[octet], tile_sum);
    }
    if (__any_sync(0xffffffffu, grows)) {  // else every scale is 1
#pragma unroll
      for (int i = 0; i < kM * D / 2; ++i) {
        result.at[i / (D / 2)][i / 4 % (D / 8)][i % 4] *= scale[i / (D / 2) * 2 + i % 4 / 2];
      }
    }
    if (kTerms == kAllTerms && p.dropout.rate != 0) drop(p, head, place.q + warp_row, j0, scores);
    add_rows<D>(result, scores, value_tiles + stage * kTileBytes, lanes);
  }

  float inverse[2 * kM];
#pragma unroll
  for (int octet = 0; octet < 2 * kM; ++octet) {
    float& total = sum[octet];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    inverse[octet] = total == 0 ? 0 : (kTerms == kAllTerms ? p.dropout.factor : 1) / total;
    const int i = warp_row + 8 * octet + g;
    if (p.lse && t == 0 && i < queries) {
      p.lse.at(place.q + i, head) = total == 0 ? -INFINITY : largest[octet] * unit * kLn2 + logf(total);
    }
  }
  if (warp_row >= queries) return;
  put_rows<D, kM>(memory + warp * 16 * kM * Rows<D>::kBytes, result, &p.out.at(place.q + warp_row, head * D),
                  p.out.stride, queries - warp_row,
                  [&](uint32_t m, uint32_t half) { return inverse[2 * m + half]; });
}

}  // namespace

#define LOCUS_ATTENTION(D, name, terms)                                                             \
  LOCUS_MMA_KERNEL locus_attention_mma_##D##_##name(const __grid_constant__ AttentionMmaParams p) { \
    attention<D, terms>(p);                                                                         \
  }
LOCUS_ATTENTION(32, plain, kNoTerms)
LOCUS_ATTENTION(32, all, kAllTerms)
LOCUS_ATTENTION(64, plain, kNoTerms)
LOCUS_ATTENTION(64, distances, kDistances)
LOCUS_ATTENTION(64, all, kAllTerms)
LOCUS_ATTENTION(96, plain, kNoTerms)
LOCUS_ATTENTION(96, all, kAllTerms)
LOCUS_ATTENTION(128, plain, kNoTerms)
LOCUS_ATTENTION(128, distances, kDistances)
LOCUS_ATTENTION(128, all, kAllTerms)

}  // namespace locus::kernel::cuda
