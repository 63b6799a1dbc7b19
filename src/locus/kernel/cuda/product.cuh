// A product of bf16 matrices by mma.sync: tiles of both sides pass through a ring of pieces in shared memory,
// filled by cp.async and read by ldmatrix.
#pragma once

#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {

// A piece of one side in shared memory: ROWS rows of CHUNKS chunks of 16 bytes, eight numbers each. Chunks
// change places within 128 bytes, so that eight rows at one column are in different banks.
template <int ROWS, int CHUNKS>
struct Piece {
  static constexpr int kBytes = ROWS * CHUNKS * 16, kPitch = CHUNKS * 16;
  __device__ static int place(int row, int chunk) {
    constexpr int kShared = CHUNKS < 8 ? 8 / CHUNKS : 1;  // rows in 128 bytes
    return row * (CHUNKS * 16) + (chunk ^ ((row / kShared) & ((CHUNKS < 8 ? CHUNKS : 8) - 1))) * 16;
  }
};

__device__ inline void copy_chunk(uint32_t to, const void* from,
                                  int bytes) {  // the rest of 16 becomes 0; of no bytes, nothing is read
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ inline void load_matrices(uint32_t (&to)[4], uint32_t from, bool transposed) {
  if (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
  }
}
__device__ inline void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// One side, as one of THREADS threads copies it: pieces of CHUNKS chunks in LINES lines. ACROSS: lines are
// those of k, else they have DEPTH of k each.
template <class P, int THREADS, int LINES, int CHUNKS, bool ACROSS, int DEPTH>
struct Source {
  static constexpr int kStep = THREADS / CHUNKS;
  const Bf16* next;    // this thread's first chunk of the next piece
  int64_t line;        // elements to the next chunk of this thread
  int lines, columns;  // left from there
  uint32_t place;

  // `first` is the first row of a or column of b, of `limit`.
  __device__ Source(const Bf16* from, int64_t stride, int64_t first, int64_t limit, int64_t k,
                    int64_t last_k) {
    const int chunk = static_cast<int>(threadIdx.x) % CHUNKS, own = static_cast<int>(threadIdx.x) / CHUNKS;
    const int64_t at_line = (ACROSS ? k : first) + own, at_column = (ACROSS ? first : k) + 8 * chunk;
    next = from + at_line * stride + at_column;
    line = kStep * stride;
    lines = static_cast<int>(smaller((ACROSS ? last_k : limit) - at_line, INT32_MAX));
    columns = static_cast<int>(smaller((ACROSS ? limit : last_k) - at_column, INT32_MAX));
    place = P::place(own, chunk);
  }
  __device__ void copy(uint32_t to) {
    const int bytes = columns <= 0 ? 0 : columns >= 8 ? 16 : 2 * columns;
    const Bf16* from = next;
#pragma unroll
    for (int i = 0; i < (LINES + kStep - 1) / kStep; ++i) {
      if (LINES % kStep == 0 || static_cast<int>(threadIdx.x) / CHUNKS + i * kStep < LINES) {
        const bool inside = i * kStep < lines;
        copy_chunk(to + place + i * kStep * P::kPitch, from, inside ? bytes : 0);
      }
      from += line;
    }
    next += ACROSS ? line / kStep * DEPTH : DEPTH;
    (ACROSS ? lines : columns) -= DEPTH;
  }
};

// Finishes eight elements of a row.
__device__ inline void put_eight(const ProductParams& p, int64_t row, int64_t n, int count, float (&x)[8]) {
  float other[8];
  if (p.accumulate) {
    load(p.c, row, n, count, other);
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] += other[i];
  }
  if (p.bias != nullptr) {
    load(p.bias, n, count, other);
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] += other[i];
  }
  store(p.c, row, n, count, x);
}

// The first row and column of a block's tile. Blocks that run together share rows and columns: kBand tiles of
// rows at a time.
template <int ROWS, int COLS>
__device__ void find_tile(const ProductParams& p, int64_t& m0, int64_t& n0) {
  constexpr int64_t kBand = 16;
  const int64_t high = divided_up(p.m, ROWS), broad = divided_up(p.n, COLS);
  const int64_t band = blockIdx.x / (kBand * broad), place = blockIdx.x % (kBand * broad);
  const int64_t in_band = smaller(kBand, high - band * kBand);
  m0 = (band * kBand + place % in_band) * ROWS;
  n0 = place / in_band * COLS;
}

// add_up(s) makes the sums of segment s; each_sum(f) calls f(row, n, count, x) for all of them.
template <class AddUp, class EachSum>
__device__ void add_segments(const ProductParams& p, AddUp add_up, EachSum each_sum) {
  if (p.parallel) {
    add_up(blockIdx.z);
    each_sum([&](int64_t row, int64_t n, int count, float(&x)[8]) { store(p.sums, row, n, count, x); });
    return;
  }
  for (int s = 0; s < p.segments; ++s) {
    add_up(s);
    each_sum([&](int64_t row, int64_t n, int count, float(&x)[8]) {
      if (s > 0) {
        float before[8];
        load(p.sums, row, n, count, before);
#pragma unroll
        for (int i = 0; i < 8; ++i) x[i] = before[i] + x[i];
      }
      if (s == p.segments - 1) {
        put_eight(p, row, n, count, x);
      } else {
        store(p.sums, row, n, count, x);
      }
    });
  }
}

// Calls f(row, n, count, x) for eight neighbors of a tile at a time. The sums pass through shared memory,
// TALL rows at a time: put(first, rows) writes those from row `first` on, in lines of COLS + 8.
template <int ROWS, int COLS, int TALL, int THREADS, class Put, class F>
__device__ void each_sum_of_tile(const ProductParams& p, int64_t m0, int64_t n0, float* rows, Put put, F f) {
  constexpr int kStride = COLS + 8;
#pragma unroll 1
  for (int first = 0; first < ROWS; first += TALL) {
    __syncthreads();
    put(first, rows);
    __syncthreads();
#pragma unroll 2
    for (int e = static_cast<int>(threadIdx.x); e < TALL * COLS / 8; e += THREADS) {
      const int r = e / (COLS / 8), c = e % (COLS / 8) * 8;
      const int64_t m = m0 + first + r, n = n0 + c;
      if (m >= p.m || n >= p.n) continue;
      float x[8];
      load(rows + r * kStride, c, 8, x);
      f(blockIdx.z * p.m + m, n, static_cast<int>(smaller(8, p.n - n)), x);
    }
  }
}

// ROWS rows of a by COLS columns of b, kProductDepth of k at a time, in kProductPieces pieces. A warp has
// TALL x WIDE of the elements. A_ACROSS: a lies as [k, m]; B_ACROSS: b lies as [k, n].
template <int ROWS, int COLS, int TALL, int WIDE, bool A_ACROSS, bool B_ACROSS>
class TileProduct {
  static constexpr int kDepth = kProductDepth, kPieces = kProductPieces;
  static constexpr int kWarps = (ROWS / TALL) * (COLS / WIDE), kOwnThreads = 32 * kWarps;
  static constexpr int kHigh = TALL / 16, kBroad = WIDE / 8;  // products of one warp
  using A = std::conditional_t<A_ACROSS, Piece<kDepth, ROWS / 8>, Piece<ROWS, kDepth / 8>>;
  using B = std::conditional_t<B_ACROSS, Piece<kDepth, COLS / 8>, Piece<COLS, kDepth / 8>>;
  static_assert(kBroad % 2 == 0 && kDepth == 32);

 public:
  static constexpr int kShared = kPieces * (A::kBytes + B::kBytes);

  __device__ explicit TileProduct(const ProductParams& params) : p(params) {
    extern __shared__ __align__(128) char shared[];
    base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    const int warp = static_cast<int>(threadIdx.x) / 32;
    lane = static_cast<int>(threadIdx.x) % 32;
    const int within = lane % 8, second = lane / 8 % 2, third = lane / 16;
    row = warp % (ROWS / TALL) * TALL;
    column = warp / (ROWS / TALL) * WIDE;
    a_place = A_ACROSS ? A::place(8 * third + within, row / 8 + second)
                       : A::place(row + 8 * second + within, third);
    b_place = B_ACROSS ? B::place(8 * second + within, column / 8 + third)
                       : B::place(column + 8 * third + within, second);
    find_tile<ROWS, COLS>(p, m0, n0);
  }

  __device__ void run() {
    add_segments(
        p, [&](int64_t s) { add_up(s); }, [&](auto f) { each_sum(f); });
  }

 private:
  template <class F>
  __device__ void each_sum(F f) {
    extern __shared__ __align__(128) char shared[];
    constexpr int kStride = COLS + 8;
    static_assert(TALL * kStride * 4 <= kShared);
    const auto put = [&](int first, float* rows) {
      if (row != first) return;
#pragma unroll
      for (int i = 0; i < kHigh; ++i) {
#pragma unroll
        for (int j = 0; j < kBroad; ++j) {
          float* const to = rows + (16 * i + lane / 4) * kStride + column + 8 * j + 2 * (lane % 4);
          *reinterpret_cast<float2*>(to) = {sums[i][j][0], sums[i][j][1]};
          *reinterpret_cast<float2*>(to + 8 * kStride) = {sums[i][j][2], sums[i][j][3]};
        }
      }
    };
    each_sum_of_tile<ROWS, COLS, TALL, kOwnThreads>(p, m0, n0, reinterpret_cast<float*>(shared), put, f);
  }

  using SourceA =
      Source<A, kOwnThreads, A_ACROSS ? kDepth : ROWS, A_ACROSS ? ROWS / 8 : kDepth / 8, A_ACROSS, kDepth>;
  using SourceB =
      Source<B, kOwnThreads, B_ACROSS ? kDepth : COLS, B_ACROSS ? COLS / 8 : kDepth / 8, B_ACROSS, kDepth>;

  __device__ uint32_t piece_at(int ring) const { return base + ring * (A::kBytes + B::kBytes); }

  // The matrices of step `step` (16 of k) of a piece. The chunks of its other matrices differ in single bits.
  __device__ void load_step(int ring, int step, uint32_t (&a)[kHigh][4], uint32_t (&b)[kBroad / 2][4]) {
    const uint32_t of_a = piece_at(ring), of_b = of_a + A::kBytes;
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
      const uint32_t place = A_ACROSS ? (a_place ^ (32 * i)) + step * (16 * ROWS * 2)
                                      : (a_place ^ (32 * step)) + i * (16 * kDepth * 2);
      load_matrices(a[i], of_a + place, A_ACROSS);
    }
#pragma unroll
    for (int j = 0; j < kBroad / 2; ++j) {
      const uint32_t place = B_ACROSS ? (b_place ^ (32 * j)) + step * (16 * COLS * 2)
                                      : (b_place ^ (32 * step)) + j * (16 * kDepth * 2);
      load_matrices(b[j], of_b + place, B_ACROSS);
    }
  }
  __device__ void multiply(const uint32_t (&a)[kHigh][4], const uint32_t (&b)[kBroad / 2][4]) {
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
      for (int j = 0; j < kBroad; ++j)
        multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }

  // sums = the products of segment s, from 0 in ascending k.
  __device__ void add_up(int64_t s) {
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
      for (int j = 0; j < kBroad; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] = 0;
      }
    }
    const int64_t first = s * p.segment, last = smaller(p.k, first + p.segment);
    const int pieces = static_cast<int>(divided_up(last - first, kDepth));
    const int64_t batch = p.parallel ? 0 : blockIdx.z;
    SourceA from_a(p.a + batch * p.a_batch, p.a_stride, m0, p.m, first, last);
    SourceB from_b(p.b + batch * p.b_batch, p.b_stride, n0, p.n, first, last);
    const auto copy_piece = [&](int ring) {
      from_a.copy(piece_at(ring));
      from_b.copy(piece_at(ring) + A::kBytes);
    };
    __syncthreads();  // the last segment has been read
#pragma unroll
    for (int i = 0; i < kPieces - 1; ++i) {
      if (i < pieces) copy_piece(i);
      asm volatile("cp.async.commit_group;");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(kPieces - 2));
    __syncthreads();
    uint32_t a[2][kHigh][4], b[2][kBroad / 2][4];
    load_step(0, 0, a[0], b[0]);
    int ring = 0, free_ring = kPieces - 1;
    for (int piece = 0; piece < pieces; ++piece) {
      load_step(ring, 1, a[1], b[1]);
      if (piece + kPieces - 1 < pieces) copy_piece(free_ring);
      asm volatile("cp.async.commit_group;");
      free_ring = free_ring == kPieces - 1 ? 0 : free_ring + 1;
      multiply(a[0], b[0]);
      asm volatile("cp.async.wait_group %0;" ::"n"(kPieces - 2));
      __syncthreads();
      ring = ring == kPieces - 1 ? 0 : ring + 1;
      load_step(ring, 0, a[0], b[0]);  // after the last piece: what nothing uses
      multiply(a[1], b[1]);
    }
    asm volatile("cp.async.wait_group 0;");
  }

  const ProductParams& p;
  uint32_t base, a_place, b_place;
  int lane, row, column;
  int64_t m0, n0;
  float sums[kHigh][kBroad][4];
};

}  // namespace locus::kernel::cuda
