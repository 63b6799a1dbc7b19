// What the attention kernels share: products of a tile of 64 queries and a tile of 64 keys, and the score
// terms.
//
// A block has 16 x 16 threads. Thread (y, x) has the pairs of queries 4 y .. 4 y + 3 and keys 4 x .. 4 x + 3
// of its tiles. The order of every sum follows from the places of query and key in their own sequence. So the
// bits of a row depend neither on the other sequences nor on the tile that it is in.
#pragma once

#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {

constexpr int kSide = 4;          // pairs of a thread: kSide x kSide
constexpr int kTileSize = kTile;  // as an int
constexpr int kPiece = 32;        // components of queries and keys that are in shared memory at a time
constexpr int kRow =
    kTileSize + 4;  // of a matrix in shared memory: 16-byte aligned, and columns in different banks

struct Fragment {
  float at[kSide][kSide];
};

// The memory of a block: pieces of two matrices for a product of their rows, or 64 rows of another.
union Shared {
  struct {
    float a[kPiece][kRow], b[kPiece][kRow];
  } product;
  float rows[kTileSize][kTileSize];
};

// One sequence of the batch, and one head of it.
struct Part {
  int64_t b, head, key_head;
  int64_t q, k;   // first rows
  int64_t pairs;  // where the pairs of the sequence start in a dense term
  Mask mask;
};

// Where the pairs of sequence b start: the sum over the sequences before it. All threads call it.
__device__ inline int64_t pairs_before(const AttentionParams& p, int64_t b) {
  if (!p.dense) return 0;
  int64_t sum = 0;
  for (int64_t i = threadIdx.x; i < b; i += kThreads) {
    sum += int64_t{p.query_starts[i + 1] - p.query_starts[i]} * (p.key_starts[i + 1] - p.key_starts[i]);
  }
  return block_sum(sum);
}

__device__ inline Part part_of(const AttentionParams& p, int64_t b, int64_t head) {
  const int64_t q = p.query_starts[b], k = p.key_starts[b];
  return {b,
          head,
          head / (p.heads / p.key_heads),
          q,
          k,
          pairs_before(p, b),
          {p.query_starts[b + 1] - q, p.key_starts[b + 1] - k, p.causal, p.window}};
}

// Component c of a query, of a key and of a value of a part.
__device__ inline float query(const AttentionParams& p, const Part& part, int64_t i, int64_t c) {
  return p.q.at(part.q + i, part.head * p.head_size + c);
}
__device__ inline float key(const AttentionParams& p, const Part& part, int64_t j, int64_t c) {
  if (p.rooms == nullptr) return p.k.at(part.k + j, part.key_head * p.head_size + c);
  const In& keys = p.rooms[part.b].keys;  // [G room/16 D, 16]
  return keys.at(keys.rows / p.key_heads * part.key_head + j / 16 * p.head_size + c, j % 16);
}
__device__ inline float value(const AttentionParams& p, const Part& part, int64_t j, int64_t c) {
  if (p.rooms == nullptr) return p.v.at(part.k + j, part.key_head * p.head_size + c);
  const In& values = p.rooms[part.b].values;  // [G room, D rounded up]
  return values.at(values.rows / p.key_heads * part.key_head + j, c);
}

// sums[r][s] = sum over c of a(4 y + r, c) b(4 x + s, c); a and b are 0 past their last row. All threads call
// it.
template <class A, class B>
__device__ void multiply_rows(Shared& shared, int64_t depth, A a, B b, Fragment& sums) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
#pragma unroll
  for (int i = 0; i < kSide * kSide; ++i) sums.at[i / kSide][i % kSide] = 0;
  for (int64_t first = 0; first < depth; first += kPiece) {
    const int c = thread % kPiece;
    const bool inside = first + c < depth;
    __syncthreads();
#pragma unroll
    for (int row = thread / kPiece; row < kTileSize; row += kThreads / kPiece) {
      shared.product.a[c][row] = inside ? a(row, first + c) : 0;
      shared.product.b[c][row] = inside ? b(row, first + c) : 0;
    }
    __syncthreads();
#pragma unroll 8
    for (int d = 0; d < kPiece; ++d) {
      const float4 left = *reinterpret_cast<const float4*>(&shared.product.a[d][4 * y]);
      const float4 right = *reinterpret_cast<const float4*>(&shared.product.b[d][4 * x]);
      const float l[kSide] = {left.x, left.y, left.z, left.w},
                  r[kSide] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int i = 0; i < kSide * kSide; ++i) {
        sums.at[i / kSide][i % kSide] = __fmaf_rn(l[i / kSide], r[i % kSide], sums.at[i / kSide][i % kSide]);
      }
    }
  }
}

// sums[r][s] += sum over n in [0, 64) of weights[n][4 y + r] rows(n, 4 x + s), with s below `columns`: a
// product with 64 rows of a matrix, of which a block has 64 columns. All threads call it.
template <class Rows>
__device__ void add_rows(Shared& shared, const float (&weights)[kTileSize][kRow], Rows rows, Fragment& sums) {
  const int thread = static_cast<int>(threadIdx.x), y = thread / 16, x = thread % 16;
  __syncthreads();
#pragma unroll
  for (int n = thread / kTileSize; n < kTileSize; n += kThreads / kTileSize) {
    shared.rows[n][thread % kTileSize] = rows(n, thread % kTileSize);
  }
  __syncthreads();
#pragma unroll 8
  for (int n = 0; n < kTileSize; ++n) {
    const float4 left = *reinterpret_cast<const float4*>(&weights[n][4 * y]);
    const float4 right = *reinterpret_cast<const float4*>(&shared.rows[n][4 * x]);
    const float l[kSide] = {left.x, left.y, left.z, left.w}, r[kSide] = {right.x, right.y, right.z, right.w};
#pragma unroll
    for (int i = 0; i < kSide * kSide; ++i) {
      sums.at[i / kSide][i % kSide] = __fmaf_rn(l[i / kSide], r[i % kSide], sums.at[i / kSide][i % kSide]);
    }
  }
}

__device__ inline int64_t distance_of(const AttentionParams& p, const Part& part, int64_t i, int64_t j) {
  return p.key_positions[part.k + j] - p.query_positions[part.q + i];
}

// The table row of a distance, from its first component for this head.
__device__ inline const float* slot_row(const AttentionParams& p, const Slots& term, const Part& part,
                                        int64_t distance) {
  return &term.table.at(term.slots[distance + term.zero], term.shared ? 0 : part.head * p.head_size);
}

// The capped score of a pair that is seen, from q.k. Called, because a thread has 16 pairs and the code is
// long.
__device__ __noinline__ inline float score_with_terms(const AttentionParams& p, const Part& part, int64_t i,
                                                      int64_t j, float dot) {
  const int64_t d = p.by_distance || p.by_query.table || p.by_key.table ? distance_of(p, part, i, j) : 0;
  if (p.by_query.table) {
    const float* const row = slot_row(p, p.by_query, part, d);
    for (int64_t c = 0; c < p.head_size; ++c) dot = __fmaf_rn(query(p, part, i, c), row[c], dot);
  }
  if (p.by_key.table) {
    const float* const row = slot_row(p, p.by_key, part, d);
    for (int64_t c = 0; c < p.head_size; ++c) dot = __fmaf_rn(key(p, part, j, c), row[c], dot);
  }
  float sum = p.scale * dot;
  if (p.by_distance) sum += p.by_distance.at(part.head, d + p.distance_zero);
  if (p.dense) sum += p.dense.at(part.head, part.pairs + i * part.mask.keys + j);
  return p.cap == 0 || sum == -INFINITY ? sum : p.cap * tanhf(sum / p.cap);
}

__device__ inline bool has_terms(const AttentionParams& p) {
  return p.by_distance || p.by_query.table || p.by_key.table || p.dense || p.cap != 0;
}
__device__ inline float score_of(const AttentionParams& p, const Part& part, int64_t i, int64_t j,
                                 float dot) {
  return has_terms(p) ? score_with_terms(p, part, i, j, dot) : p.scale * dot;
}

// Derivative of the capped score with respect to the sum before the cap; 0 for -infinity.
__device__ inline float slope_of(const AttentionParams& p, float score) {
  const float part = p.cap == 0 ? 0 : fmaxf(score / p.cap, -1.0f);
  return 1 - part * part;
}

// What dropout multiplies the weight of a pair by.
__device__ __noinline__ inline float counted_factor(const Dropout& dropout, uint64_t index) {
  return dropout_factor(dropout, index);
}
__device__ inline float weight_factor(const AttentionParams& p, const Part& part, int64_t i, int64_t j) {
  if (p.dropout.rate == 0) return 1;
  return counted_factor(p.dropout,
                        static_cast<uint64_t>((part.head * p.q.rows + part.q + i) * p.longest + j));
}

}  // namespace locus::kernel::cuda
