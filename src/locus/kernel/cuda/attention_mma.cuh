// What attention on tensor cores shares: tiles of bf16 rows in shared memory, and products of them by
// mma.sync, which adds in f32.
//
// A block has 4 warps. A warp owns 16 M rows of the block's own tile (queries, or keys in the backward pass)
// and goes over tiles of 64 other rows. In a product of 16 rows and 8 columns, lane 4 g + t has rows g and
// g + 8 and columns 2 t and 2 t + 1: element e is row g + 8 (e / 2), column 2 t + e % 2. The order of every
// sum follows from the places of query and key in their own sequence.
#pragma once

#include "locus/kernel/cuda/attention_mma_sizes.h"
#include "locus/kernel/cuda/common.cuh"

#define LOCUS_MMA_KERNEL extern "C" __global__ void __launch_bounds__(locus::kernel::cuda::kMmaThreads, 2)

namespace locus::kernel::cuda {

constexpr int kWarps = kMmaThreads / 32;
constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

// What a kernel is compiled for: the other terms cost time even if they are absent.
enum Terms {
  kNoTerms,
  kDistances,  // by_distance
  kAllTerms    // by_distance, cap and dropout, each if it is there
};

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Copies from global to shared memory that run until wait_for_copies(). What is not `inside` becomes 0.
__device__ inline void start_copy_16(uint32_t to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}
__device__ inline void start_copy_4(uint32_t to, const void* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0)
               : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Four 8 x 8 matrices: lane l gives the address of row l % 8 of matrix l / 8.
__device__ inline void load_matrices(uint32_t (&to)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ inline void load_transposed(uint32_t (&to)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ inline void multiply_add(float (&sums)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline float exp2_of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// Two numbers as bf16, the first in the low half.
__device__ inline uint32_t rounded_pair(float first, float second) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

// Rows of D bf16 numbers in shared memory, in pieces of 16 bytes. The pieces of a row are permuted, so that
// 8 rows at the same column are in different banks.
template <int D>
struct Rows {
  static constexpr uint32_t kBytes = 2 * D, kPieces = D / 8, kSteps = D / 16;

  __device__ static uint32_t swizzle(uint32_t row) { return D % 64 == 0 ? row & 7 : row >> 1 & 3; }
  __device__ static uint32_t place(uint32_t row, uint32_t piece) {
    return row * kBytes + ((piece ^ swizzle(row)) << 4);
  }
};

// Starts copies of `count` rows into a tile; rows at and after `inside` become 0. `from` is the first row.
template <int D, int kCount>
__device__ inline void start_rows(uint32_t to, const uint16_t* from, int stride, int inside) {
  constexpr int kPieces = D / 8;
#pragma unroll
  for (int i = 0; i < kCount * kPieces / kMmaThreads; ++i) {
    const int piece = static_cast<int>(threadIdx.x) + i * kMmaThreads, row = piece / kPieces;
    const bool is_inside = row < inside;
    start_copy_16(to + Rows<D>::place(static_cast<uint32_t>(row), static_cast<uint32_t>(piece % kPieces)),
                  from + int64_t{is_inside ? row : 0} * stride + piece % kPieces * 8, is_inside);
  }
}

// Where a lane reads in a tile. `left`: 16 rows and 16 columns as left side of a product, or as right side if
// the matrices are transposed. `right`: 16 rows as the right side.
template <int D>
struct Lanes {
  uint32_t left, left_piece, right, right_piece;

  __device__ Lanes() {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t left_row = lane & 15, right_row = (lane & 7) + (lane >> 4 << 3);
    left = left_row * Rows<D>::kBytes;
    left_piece = ((lane >> 4) ^ Rows<D>::swizzle(left_row)) << 4;
    right = right_row * Rows<D>::kBytes;
    right_piece = ((lane >> 3 & 1) ^ Rows<D>::swizzle(right_row)) << 4;
  }
  __device__ uint32_t left_at(uint32_t step) const { return left + (left_piece ^ (step << 5)); }
  __device__ uint32_t right_at(uint32_t step) const { return right + (right_piece ^ (step << 5)); }
};

// The rows that a warp owns, as the left side of products: kept in registers, or read each time.
template <int D, int M, bool kKept>
struct OwnRows {
  uint32_t address;
  uint32_t kept[kKept ? M : 1][kKept ? Rows<D>::kSteps : 1][4];

  __device__ void load(const Lanes<D>& lanes) {
    if constexpr (kKept) {
#pragma unroll
      for (uint32_t m = 0; m < M; ++m) {
#pragma unroll
        for (uint32_t step = 0; step < Rows<D>::kSteps; ++step) {
          load_matrices(kept[m][step], address + m * 16 * Rows<D>::kBytes + lanes.left_at(step));
        }
      }
    }
  }
  __device__ void get(uint32_t (&to)[4], uint32_t m, uint32_t step, const Lanes<D>& lanes) const {
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = kept[m][step][i];
    } else {
      load_matrices(to, address + m * 16 * Rows<D>::kBytes + lanes.left_at(step));
    }
  }
};

template <int M, int N>
struct Sums {
  float at[M][N][4];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < M * N * 4; ++i) at[i / 4 / N][i / 4 % N][i % 4] = 0;
  }
};

// Products of own rows and 8 N rows of a tile.
template <int D, int M, int N, bool kKept>
__device__ inline void multiply_rows(Sums<M, N>& sums, const OwnRows<D, M, kKept>& own, uint32_t tile,
                                     const Lanes<D>& lanes) {
  sums.clear();
#pragma unroll
  for (uint32_t step = 0; step < Rows<D>::kSteps; ++step) {
    uint32_t left[M][4];
#pragma unroll
    for (uint32_t m = 0; m < M; ++m) own.get(left[m], m, step, lanes);
#pragma unroll
    for (uint32_t n = 0; n < N; n += 2) {
      uint32_t right[4];
      load_matrices(right, tile + n * 8 * Rows<D>::kBytes + lanes.right_at(step));
#pragma unroll
      for (int m = 0; m < M; ++m) {
        multiply_add(sums.at[m][n], left[m], right[0], right[1]);
        multiply_add(sums.at[m][n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// sums += weights [own rows, 8 N], rounded to bf16, times 8 N rows of a tile.
template <int D, int M, int N>
__device__ inline void add_rows(Sums<M, D / 8>& sums, const Sums<M, N>& weights, uint32_t tile,
                                const Lanes<D>& lanes) {
#pragma unroll
  for (uint32_t k = 0; k < N / 2; ++k) {
    uint32_t left[M][4];
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float(&pair)[4] = weights.at[m][2 * k + i / 2];
        left[m][i] = rounded_pair(pair[i % 2 * 2], pair[i % 2 * 2 + 1]);
      }
    }
#pragma unroll
    for (uint32_t d = 0; d < Rows<D>::kSteps; ++d) {
      uint32_t right[4];
      load_transposed(right, tile + k * 16 * Rows<D>::kBytes + lanes.left_at(d));
#pragma unroll
      for (int m = 0; m < M; ++m) {
        multiply_add(sums.at[m][2 * d], left[m], right[0], right[1]);
        multiply_add(sums.at[m][2 * d + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// Writes a warp's own rows through its part of shared memory, which no other warp uses. `to` is the first
// row.
template <int D, int M, class Factor>
__device__ inline void put_rows(unsigned char* memory, const Sums<M, D / 8>& sums, uint16_t* to,
                                int64_t stride, int inside, Factor factor) {
  const uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  __syncwarp();
#pragma unroll
  for (uint32_t m = 0; m < M; ++m) {
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const float scale = factor(m, half);
#pragma unroll
      for (uint32_t n = 0; n < D / 8; ++n) {
        const float(&four)[4] = sums.at[m][n];
        *reinterpret_cast<uint32_t*>(memory + Rows<D>::place(16 * m + 8 * half + g, n) + 4 * t) =
            rounded_pair(scale * four[2 * half], scale * four[2 * half + 1]);
      }
    }
  }
  __syncwarp();
#pragma unroll
  for (uint32_t i = 0; i < 16 * M * (D / 8) / 32; ++i) {
    const uint32_t piece = lane + 32 * i, row = piece / (D / 8), column = piece % (D / 8);
    if (static_cast<int>(row) >= inside) continue;
    *reinterpret_cast<uint4*>(to + row * stride + column * 8) =
        *reinterpret_cast<const uint4*>(memory + Rows<D>::place(row, column));
  }
}

// The other rows that a row of a sequence sees: those in [row + back, row + ahead) and below `limit`.
struct Band {
  int back, ahead, limit;

  __device__ bool has(int row, int other) const {
    return other >= row + back && other < row + ahead && other < limit;
  }
  // For rows [first, first + count) and others [others, others + kOther): whether none is seen, or all. The
  // bounds grow with the row.
  __device__ bool has_none(int first, int count, int others) const {
    return others >= limit || others >= first + count - 1 + ahead || others + kOther <= first + back;
  }
  __device__ bool has_all(int first, int count, int others) const {
    return others + kOther <= limit && others + kOther <= first + ahead && others >= first + count - 1 + back;
  }
};

// A tile of one sequence.
struct Place {
  int64_t q, k;              // first rows of the sequence
  int first, queries, keys;  // `first`: the row of the sequence where the tile starts
  Band keys_of_query, queries_of_key;
};
__device__ inline Place place_of(const AttentionMmaParams& p, int64_t b, int first) {
  const int64_t q = p.query_starts[b], k = p.key_starts[b];
  const int queries = static_cast<int>(p.query_starts[b + 1] - q),
            keys = static_cast<int>(p.key_starts[b + 1] - k), shift = keys - queries;
  const int window = p.window == 0 ? 1 << 30 : static_cast<int>(p.window);
  const int back = shift - window + 1, ahead = shift + (p.causal ? 1 : window);
  return {q, k, first, queries, keys, {back, ahead, keys}, {1 - ahead, 1 - back, queries}};
}
__device__ inline Place place_of(const AttentionMmaParams& p, int64_t tile, const int32_t* starts, int rows) {
  const int64_t b = sequence_of(tile, starts, p.sequences, rows);
  return place_of(p, b, static_cast<int>((tile - first_tile(starts[b], b, rows)) * rows));
}
// The tiles of other rows that rows [first, first + count) see some of.
struct Tiles {
  int first, count;  // the first row, and the number of tiles
};
__device__ inline Tiles tiles_of(const Band& band, int first, int count) {
  const int from = max(0, first + band.back) / kOther * kOther,
            last = min(band.limit, first + count - 1 + band.ahead);
  return {from, last > from ? (last - from + kOther - 1) / kOther : 0};
}

// The column of distance 0 of key 0 and query 0 of a sequence.
__device__ inline int64_t distance_column(const AttentionMmaParams& p, const Place& place) {
  return p.distance_zero + p.key_positions[place.k] - p.query_positions[place.q];
}

// Starts copies of the columns [first, first + kCount) of a row of by_distance.
template <int kCount>
__device__ inline void start_strip(uint32_t to, const float* row, int64_t columns, int64_t first) {
  for (int i = static_cast<int>(threadIdx.x); i < kCount; i += kMmaThreads) {
    const int64_t column = first + i;
    const bool inside = column >= 0 && column < columns;
    start_copy_4(to + 4 * static_cast<uint32_t>(i), row + (inside ? column : 0), inside);
  }
}

// Scores before the cap, from the products of own rows and others. `strip` has the bias of element (0, 0)
// and, before and after it, those of other values of column - row if own rows are queries, of row - column if
// they are keys. They are natural logarithms if the kernel has terms.
template <int kTerms, bool kOfQueries, int M, int N>
__device__ inline void add_terms(const AttentionMmaParams& p, const float* strip, Sums<M, N>& sums) {
  if constexpr (kTerms == kNoTerms) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  if (kTerms == kAllTerms && !p.by_distance) {
    if (p.cap == 0) return;
#pragma unroll
    for (int i = 0; i < M * N * 4; ++i) sums.at[i / 4 / N][i / 4 % N][i % 4] *= p.scale;
    return;
  }
  // Elements with the same 8 (n - row / 8) have the same distance.
#pragma unroll
  for (int e = 1 - 2 * M; e < N; ++e) {
    const int first = 8 * e + 2 * t - g;
    const float bias[2] = {strip[kOfQueries ? first : -first], strip[kOfQueries ? first + 1 : -first - 1]};
#pragma unroll
    for (int octet = 0; octet < 2 * M; ++octet) {
      const int n = e + octet;
      if (n < 0 || n >= N) continue;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        float& one = sums.at[octet / 2][n][octet % 2 * 2 + c];
        one = __fmaf_rn(one, p.scale, bias[c]);
      }
    }
  }
}
// What 2 is raised to the power of is this times a score: without a bias and a cap, scores are products.
template <int kTerms>
__device__ inline float unit_of(const AttentionMmaParams& p) {
  const bool scaled = kTerms == kDistances || (kTerms == kAllTerms && (p.by_distance || p.cap != 0));
  return scaled ? kLog2E : p.scale * kLog2E;
}

// tanh with an absolute error of about 2e-7.
__device__ inline float quick_tanh(float x) { return 1 - __fdividef(2, 1 + exp2_of(2 * kLog2E * x)); }

// Dropout: a bit for each of the indices from `index` on, 1 if it is kept. A lane makes those of one row, and
// the others get them by a shuffle.
template <int kCount>
__device__ inline uint32_t kept_bits(const Dropout& dropout, uint64_t index) {
  uint64_t bits = 0;
  const auto add = [&](uint32_t block) {
    const uint64_t number = half_block(index) + block;
    const PhiloxBlock words =
        philox({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32),
                static_cast<uint32_t>(dropout.stream), static_cast<uint32_t>(dropout.stream >> 32)},
               static_cast<uint32_t>(dropout.seed), static_cast<uint32_t>(dropout.seed >> 32));
    uint32_t eight = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      eight |= ((words[half_word(i)] >> half_shift(i) & 0xffffu) >= dropout.threshold ? 1u : 0u) << i;
    bits |= uint64_t{eight} << (8 * block);
  };
#pragma unroll 2
  for (uint32_t block = 0; block < kCount / 8; ++block) add(block);
  if (index % 8 != 0) add(kCount / 8);
  return static_cast<uint32_t>(bits >> (index % 8));
}

}  // namespace locus::kernel::cuda
