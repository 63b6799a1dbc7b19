// Attention backward on tensor cores: what follows from tiles of queries, which go over the keys they see.
// These are the gradients of queries and of the table by distance.
#include "locus/kernel/cuda/attention_mma_gradients.cuh"

namespace locus::kernel::cuda {
namespace {

// Gradients by distance of one tile of queries. A warp adds up its own rows of a tile of keys in registers
// and writes the sums; then the block adds those of its warps to a ring, in which a distance stays until no
// later tile has it. Distances are key - query, both counted in the sequence.
template <int M, int N>
struct DistanceSums {
  static constexpr int kRows = 16 * M, kOwn = kRows * kWarps, kPerLane = kDistancesOfWarp / 32;
  static constexpr int kColumns = 8 * (N + 2 * M - 1);
  static_assert(kColumns <= kSkewed && kRows + kOther <= kDistancesOfWarp && kOwn + kOther <= kRing);

  float* ring;          // [kRing]
  float* sums;          // [2][kWarps][kDistancesOfWarp], of a tile and the next
  float* skewed;        // [8][kSkewed] of this warp
  float* to;            // distance 0
  int64_t least, most;  // distances that the table has
  float own[kPerLane];

  __device__ void clear() {
#pragma unroll
    for (float& one : own) one = 0;
  }
  // Adds the gradients of 8 N keys, from key 8 N part of the tile on.
  template <int kPart>
  __device__ void add(const Sums<M, N>& gradients) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    __syncwarp();
#pragma unroll
    for (int e = 1 - 2 * M; e < N; ++e) {
      float two[2] = {0, 0};
#pragma unroll
      for (int octet = 0; octet < 2 * M; ++octet) {
        const int n = e + octet;
        if (n < 0 || n >= N) continue;
        two[0] += gradients.at[octet / 2][n][octet % 2 * 2];
        two[1] += gradients.at[octet / 2][n][octet % 2 * 2 + 1];
      }
      *reinterpret_cast<float2*>(skewed + g * kSkewed + 8 * (e + 2 * M - 1) + 2 * t) = {two[0], two[1]};
    }
    __syncwarp();
    // Sum u is that of the distance u - kRows + 1 + 8 N kPart of the tile: its columns are
    // distance + g + 8 (2 M - 1).
#pragma unroll
    for (int k = 0; k < (kRows + 8 * N + 31) / 32; ++k) {
      const int u = lane + 32 * k, first = u - kRows + 1 + 8 * (2 * M - 1);
      float sum = 0;
#pragma unroll
      for (int row = 0; row < 8; ++row) {
        const int column = first + row;
        if (column >= 0 && column < kColumns) sum += skewed[row * kSkewed + column];
      }
      own[k + N * 8 / 32 * kPart] += sum;
    }
  }
  __device__ void put(int tile) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int k = 0; k < kPerLane; ++k)
      sums[((tile % 2) * kWarps + warp) * kDistancesOfWarp + lane + 32 * k] = own[k];
  }
  // Adds the sums of the warps for a tile of keys at j0, for queries at i0, and writes distances that are
  // complete. Every thread has its own places of the ring.
  __device__ void collect(int tile, int i0, int j0, bool is_last) {
    const int thread = static_cast<int>(threadIdx.x), lowest = j0 - i0 - kOwn + 1;
    for (int d = lowest + ((thread - lowest) & (kMmaThreads - 1)); d < lowest + kOwn + kOther;
         d += kMmaThreads) {
      float sum = ring[d & (kRing - 1)];
#pragma unroll
      for (int warp = 0; warp < kWarps; ++warp) {
        const int u = d - (j0 - i0) + kRows * warp + kRows - 1;
        if (u >= 0 && u < kRows + kOther) sum += sums[((tile % 2) * kWarps + warp) * kDistancesOfWarp + u];
      }
      const bool complete = is_last || d < lowest + kOther;
      if (complete && d >= least && d <= most) to[d] = sum;
      ring[d & (kRing - 1)] = complete ? 0 : sum;
    }
  }
};

template <int D, int N, int kTerms>
__device__ inline void gradients_of_queries(const AttentionMmaBackwardParams& p) {
  constexpr int M = backward_pieces(D), kOwn = backward_rows(D), kStrip = kOwn + kOther;
  constexpr uint32_t kOwnBytes = kOwn * Rows<D>::kBytes, kTileBytes = kOther * Rows<D>::kBytes;
  using Distances = DistanceSums<M, N>;
  extern __shared__ __align__(128) unsigned char memory[];
  const AttentionMmaParams& f = p.forward;
  const uint32_t query_tile = shared_address(memory), dout_tile = query_tile + kOwnBytes,
                 key_tiles = dout_tile + kOwnBytes, value_tiles = key_tiles + 2 * kTileBytes,
                 strips = value_tiles + 2 * kTileBytes;
  float* const floats = reinterpret_cast<float*>(memory + (strips - query_tile));
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int t = lane % 4, g = lane / 4;
  const unsigned block = gridDim.x - 1 - blockIdx.x, tile_number = block / static_cast<unsigned>(f.heads);
  const int head = static_cast<int>(block % static_cast<unsigned>(f.heads));
  const Place place = place_of(f, tile_number, f.query_starts, kOwn);
  const int i0 = place.first;
  const Band& band = place.keys_of_query;
  if (i0 >= place.queries) return;
  const int key_column = head / (f.heads / f.key_heads) * D;
  const Tiles tiles = tiles_of(band, i0, min(kOwn, place.queries - i0));
  const bool biased = kTerms != kNoTerms && f.by_distance;
  const bool by_distance = kTerms != kNoTerms && p.distance_parts;

  const auto start_tile = [&](int tile) {
    const int j0 = tiles.first + tile * kOther, rest = place.keys - j0;
    const uint32_t stage = static_cast<uint32_t>(tile % 2);
    start_rows<D, kOther>(key_tiles + stage * kTileBytes, &f.k.at(place.k + j0, key_column),
                          static_cast<int>(f.k.stride), rest);
    start_rows<D, kOther>(value_tiles + stage * kTileBytes, &f.v.at(place.k + j0, key_column),
                          static_cast<int>(f.v.stride), rest);
    if (!biased) return;
    start_strip<kStrip>(strips + stage * 4 * kStrip, &f.by_distance.at(head, 0), f.by_distance.cols,
                        distance_column(f, place) + j0 - i0 - (kOwn - 1));
  };
  if (tiles.count > 0) {
    start_rows<D, kOwn>(query_tile, &f.q.at(place.q + i0, head * D), static_cast<int>(f.q.stride),
                        place.queries - i0);
    start_rows<D, kOwn>(dout_tile, &p.dout.at(place.q + i0, head * D), static_cast<int>(p.dout.stride),
                        place.queries - i0);
    start_tile(0);
  }

  Distances distances;
  if (by_distance) {
    distances.ring = floats + 2 * kStrip;
    distances.sums = distances.ring + kRing;
    distances.skewed = distances.sums + 2 * kWarps * kDistancesOfWarp + warp * 8 * kSkewed;
    const int64_t zero = tiles.count > 0 ? distance_column(f, place) : 0;
    distances.to = &p.distance_parts.at(int64_t{tile_number} * f.heads + head, zero);
    distances.least = -zero;
    distances.most = p.distance_parts.cols - 1 - zero;
    distances.ring[thread] = distances.ring[thread + kMmaThreads] = 0;
  }

  const int warp_row = i0 + warp * 16 * M;
  float lse[2 * M], delta[2 * M];
#pragma unroll
  for (int octet = 0; octet < 2 * M; ++octet) {
    const int i = warp_row + 8 * octet + g;
    lse[octet] = i < place.queries ? p.lse.at(head, place.q + i) : INFINITY;
    delta[octet] = i < place.queries ? p.delta.at(head, place.q + i) : 0;
  }
  const Lanes<D> lanes;
  OwnRows<D, M, D <= 64> query, dout;
  query.address = query_tile + static_cast<uint32_t>(warp) * 16 * M * Rows<D>::kBytes;
  dout.address = dout_tile + static_cast<uint32_t>(warp) * 16 * M * Rows<D>::kBytes;
  const float unit = unit_of<kTerms>(f);
  Sums<M, D / 8> dq;
  dq.clear();

  for (int tile = 0; tile < tiles.count; ++tile) {
    wait_for_copies();
    __syncthreads();
    if (tile == 0) {
      query.load(lanes);
      dout.load(lanes);
    }
    if (tile + 1 < tiles.count) start_tile(tile + 1);
    const int j0 = tiles.first + tile * kOther;
    if (by_distance) {
      if (tile > 0) distances.collect(tile - 1, i0, j0 - kOther, false);
      distances.clear();
    }
    const bool hidden = warp_row >= place.queries || band.has_none(warp_row, 16 * M, j0);
    const uint32_t stage = static_cast<uint32_t>(tile % 2);
    const auto go_over = [&]<int kPart>() {
      const uint32_t rows = static_cast<uint32_t>(kPart * 8 * N) * Rows<D>::kBytes + stage * kTileBytes;
      const int first = j0 + kPart * 8 * N;
      Sums<M, N> scores, gradients;
      const float* const strip = floats + stage * kStrip + kOwn - 1 - warp * 16 * M + kPart * 8 * N;
      multiply_rows<D>(scores, query, key_tiles + rows, lanes);
      multiply_rows<D>(gradients, dout, value_tiles + rows, lanes);
      // Checked at run time in every kernel with terms: so compiled, it is 10 % faster.
      add_terms<kTerms == kNoTerms ? kNoTerms : kAllTerms, true>(f, strip, scores);
      // A lane has the bits of 32 pairs of one row.
      const bool drops = kTerms == kAllTerms && f.dropout.rate != 0;
      uint32_t own_bits = 0;
      if (drops) {
        const int64_t row = int64_t{head} * f.q.rows + place.q + warp_row + lane % (16 * M);
        own_bits =
            kept_bits<32>(f.dropout, static_cast<uint64_t>(row * f.longest + first + lane / (16 * M) * 32));
      }
      const bool whole = band.has_all(warp_row, 16 * M, j0);
#pragma unroll
      for (int octet = 0; octet < 2 * M; ++octet) {
        const int m = octet / 2, i = warp_row + 8 * octet + g;
        uint32_t row_bits = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          uint32_t bits = 3;
          if (drops && n % 4 == 0)
            row_bits = __shfl_sync(0xffffffffu, own_bits, n / 4 * 16 * M + 8 * octet + g);
          if (drops) bits = row_bits >> (n % 4 * 8 + 2 * t);
#pragma unroll
          for (int c = 0; c < 2; ++c) {
            float score = scores.at[m][n][octet % 2 * 2 + c], slope = 1;
            if (kTerms == kAllTerms && f.cap != 0) score = capped(f, score, slope);
            float weight = exp2_of(__fmaf_rn(score, unit, -lse[octet]));
            if (!whole && !band.has(i, first + 8 * n + 2 * t + c)) weight = 0;
            float& gradient = gradients.at[m][n][octet % 2 * 2 + c];
            if constexpr (kTerms == kAllTerms) {
              const float kept = bits >> c & 1 ? f.dropout.factor : 0;
              gradient = weight * __fmaf_rn(kept, gradient, -delta[octet]) * slope;
            } else {
              gradient = weight * (gradient - delta[octet]);
            }
          }
        }
      }
      if (by_distance) distances.template add<kPart>(gradients);
      add_rows<D>(dq, gradients, key_tiles + rows, lanes);
    };
    if (!hidden) {
      go_over.template operator()<0>();
      if constexpr (8 * N < kOther) go_over.template operator()<1>();
    }
    if (by_distance) distances.put(tile);
  }
  if (by_distance && tiles.count > 0) {
    __syncthreads();
    distances.collect(tiles.count - 1, i0, tiles.first + (tiles.count - 1) * kOther, true);
  }
  if (!p.dq || warp_row >= place.queries) return;
  put_rows<D, M>(memory + warp * 16 * M * Rows<D>::kBytes, dq, &p.dq.at(place.q + warp_row, head * D),
                 p.dq.stride, place.queries - warp_row, [&](uint32_t, uint32_t) { return f.scale; });
}

}  // namespace

#define LOCUS_QUERIES(D, N, name, terms)                      \
  LOCUS_MMA_KERNEL locus_attention_mma_queries_##D##_##name(  \
      const __grid_constant__ AttentionMmaBackwardParams p) { \
    gradients_of_queries<D, N, terms>(p);                     \
  }
LOCUS_QUERIES(32, 4, plain, kNoTerms)
LOCUS_QUERIES(32, 4, all, kAllTerms)
LOCUS_QUERIES(64, 4, plain, kNoTerms)
LOCUS_QUERIES(64, 4, distances, kDistances)
LOCUS_QUERIES(64, 4, all, kAllTerms)
LOCUS_QUERIES(96, 8, plain, kNoTerms)
LOCUS_QUERIES(96, 8, all, kAllTerms)
LOCUS_QUERIES(128, 8, plain, kNoTerms)
LOCUS_QUERIES(128, 8, distances, kDistances)
LOCUS_QUERIES(128, 8, all, kAllTerms)

// delta = dout . out, and the log of the sum of 2^score. 16 lanes for a row of a head.
LOCUS_KERNEL locus_attention_mma_delta(const __grid_constant__ AttentionMmaBackwardParams p) {
  const AttentionMmaParams& f = p.forward;
  const int64_t pair = (int64_t{blockIdx.x} * kThreads + threadIdx.x) / 16, lane = threadIdx.x % 16;
  const int64_t row = pair / f.heads, head = pair % f.heads, head_size = f.q.cols / f.heads;
  const bool inside = row < f.q.rows && lane < head_size / 8;
  float sum = 0;
  if (inside) {
    const int64_t column = head * head_size + 8 * lane;
    const uint4 left = *reinterpret_cast<const uint4*>(&p.dout.at(row, column)),
                right = *reinterpret_cast<const uint4*>(&f.out.at(row, column));
    const uint32_t a[4] = {left.x, left.y, left.z, left.w}, b[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum = __fmaf_rn(__uint_as_float(a[i] << 16), __uint_as_float(b[i] << 16), sum);
      sum = __fmaf_rn(__uint_as_float(a[i] & 0xffff0000u), __uint_as_float(b[i] & 0xffff0000u), sum);
    }
  }
  for (int mask = 8; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (row >= f.q.rows || lane != 0) return;
  const float lse = f.lse.at(row, head);
  p.delta.at(head, row) = sum;
  p.lse.at(head, row) = lse == -INFINITY ? INFINITY : lse * kLog2E;
}

// The gradient of by_distance: the parts of the tiles of queries that have the distance, in order. Grid:
// pieces of kThreads distances, heads.
LOCUS_KERNEL locus_attention_mma_distances(const __grid_constant__ AttentionMmaBackwardParams p) {
  const AttentionMmaParams& f = p.forward;
  const int64_t column = int64_t{blockIdx.x} * kThreads + threadIdx.x, head = blockIdx.y;
  if (column >= p.dby_distance.cols) return;
  float sum = 0;
  for (int64_t b = 0; b < f.sequences; ++b) {
    const int64_t first = first_tile(f.query_starts[b], b, p.rows);
    const Place place = place_of(f, b, 0);
    if (place.keys == 0 || place.queries == 0) continue;  // then it has no first position
    const int64_t d = column - distance_column(f, place);
    for (int i0 = 0; i0 < place.queries; i0 += p.rows) {
      const Tiles tiles = tiles_of(place.keys_of_query, i0, min(p.rows, place.queries - i0));
      const int64_t least = tiles.first - i0 - p.rows + 1;
      if (tiles.count == 0 || d < least || d >= least + p.rows + int64_t{tiles.count} * kOther) continue;
      sum += p.distance_parts.at((first + i0 / p.rows) * f.heads + head, column);
    }
  }
  p.dby_distance.at(head, column) = sum;
}

}  // namespace locus::kernel::cuda
