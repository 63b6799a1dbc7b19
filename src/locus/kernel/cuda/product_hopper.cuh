// A product of bf16 matrices by WGMMA, which reads both sides from shared memory. cp.async fills a ring of
// pieces there. Only for compute capability 9.0.
#pragma once

#include "locus/kernel/cuda/product.cuh"

namespace locus::kernel::cuda {

// A piece of one side as WGMMA reads it: lines of 128 bytes, eight chunks each, in groups of eight lines.
// Chunks change places within their line. If there are more than eight chunks, blocks of LINES lines follow
// each other.
template <int LINES, int CHUNKS>
struct GroupPiece {
  static constexpr int kBytes = LINES * CHUNKS * 16, kPitch = 128, kBlock = LINES * 128;
  __device__ static int place(int line, int chunk) {
    return chunk / 8 * kBlock + line * kPitch + ((chunk % 8) ^ (line % 8)) * 16;
  }
};

// What tells WGMMA where a matrix is: its address, the bytes from one block of 64 to the next where the
// matrix lies across, and the bytes from eight lines to the next eight.
__device__ inline uint64_t descriptor(uint32_t address, int block) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  const auto field = [](uint32_t bytes) { return uint64_t{(bytes & 0x3ffffu) >> 4}; };
  return field(address) | field(static_cast<uint32_t>(block)) << 16 | field(1024) << 32 | kSwizzle128;
}

#define LOCUS_SUMS_8(c, i)                                                                    \
  "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), \
      "+f"(c[i + 6]), "+f"(c[i + 7])
#define LOCUS_SUMS_32(c, i) \
  LOCUS_SUMS_8(c, i), LOCUS_SUMS_8(c, i + 8), LOCUS_SUMS_8(c, i + 16), LOCUS_SUMS_8(c, i + 24)

// c += a b for 64 rows and 64 or 128 columns, 16 of k.
template <bool A_ACROSS, bool B_ACROSS>
__device__ void group_multiply_add(float (&c)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, %66, %67;\n"
      "}"
      : LOCUS_SUMS_32(c, 0), LOCUS_SUMS_32(c, 32)
      : "l"(a), "l"(b), "n"(A_ACROSS ? 1 : 0), "n"(B_ACROSS ? 1 : 0));
}
template <bool A_ACROSS, bool B_ACROSS>
__device__ void group_multiply_add(float (&c)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "{\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, 1, 1, 1, %34, %35;\n"
      "}"
      : LOCUS_SUMS_32(c, 0)
      : "l"(a), "l"(b), "n"(A_ACROSS ? 1 : 0), "n"(B_ACROSS ? 1 : 0));
}

// ROWS rows of a by COLS columns of b, 64 of k at a time. A group of four warps has 64 rows.
template <int ROWS, int COLS, bool A_ACROSS, bool B_ACROSS>
class GroupProduct {
  static constexpr int kDepth = kHopperDepth, kPieces = kProductPieces;
  static constexpr int kOwnThreads = 2 * ROWS, kWide = COLS < 128 ? COLS : 128, kParts = COLS / kWide;
  using A = std::conditional_t<A_ACROSS, GroupPiece<kDepth, ROWS / 8>, GroupPiece<ROWS, kDepth / 8>>;
  using B = std::conditional_t<B_ACROSS, GroupPiece<kDepth, COLS / 8>, GroupPiece<COLS, kDepth / 8>>;
  static constexpr int kPiece = A::kBytes + B::kBytes;
  using SourceA =
      Source<A, kOwnThreads, A_ACROSS ? kDepth : ROWS, A_ACROSS ? ROWS / 8 : kDepth / 8, A_ACROSS, kDepth>;
  using SourceB =
      Source<B, kOwnThreads, B_ACROSS ? kDepth : COLS, B_ACROSS ? COLS / 8 : kDepth / 8, B_ACROSS, kDepth>;

 public:
  __device__ explicit GroupProduct(const ProductParams& params) : p(params) {
    extern __shared__ __align__(1024) char pieces[];
    shared = pieces;
    base = static_cast<uint32_t>(__cvta_generic_to_shared(pieces));
    group = static_cast<int>(threadIdx.x) / 128;
    find_tile<ROWS, COLS>(p, m0, n0);
  }
  __device__ void run() {
    add_segments(
        p, [&](int64_t s) { add_up(s); }, [&](auto f) { each_sum(f); });
  }

 private:
  template <class F>
  __device__ void each_sum(F f) {
    constexpr int kStride = COLS + 8;
    static_assert(64 * kStride * 4 <= kPieces * kPiece);
    const auto put = [&](int first, float* rows) {
      if (64 * group != first) return;
      const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
#pragma unroll
      for (int h = 0; h < kParts; ++h) {
#pragma unroll
        for (int j = 0; j < kWide / 8; ++j) {
          float* const to = rows + (16 * warp + lane / 4) * kStride + h * kWide + 8 * j + 2 * (lane % 4);
          *reinterpret_cast<float2*>(to) = {sums[h][4 * j], sums[h][4 * j + 1]};
          *reinterpret_cast<float2*>(to + 8 * kStride) = {sums[h][4 * j + 2], sums[h][4 * j + 3]};
        }
      }
    };
    each_sum_of_tile<ROWS, COLS, 64, kOwnThreads>(p, m0, n0, reinterpret_cast<float*>(shared), put, f);
  }

  __device__ uint32_t piece_at(int ring) const { return base + ring * kPiece; }

  // Starts the products of a piece.
  __device__ void multiply(int ring) {
    const uint32_t of_a = piece_at(ring) + group * (A_ACROSS ? A::kBlock : 64 * 128),
                   of_b = piece_at(ring) + A::kBytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < kDepth / 16; ++step) {
#pragma unroll
      for (int h = 0; h < kParts; ++h) {
        const uint32_t a = of_a + step * (A_ACROSS ? 16 * 128 : 32);
        const uint32_t b =
            of_b + step * (B_ACROSS ? 16 * 128 : 32) + h * (B_ACROSS ? kWide / 64 * B::kBlock : kWide * 128);
        group_multiply_add<A_ACROSS, B_ACROSS>(sums[h], descriptor(a, A::kBlock), descriptor(b, B::kBlock));
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }

  // sums = the products of segment s, from 0 in ascending k. While a piece is multiplied, the one before it
  // may still be read, so copies go to the place of the one before that.
  __device__ void add_up(int64_t s) {
#pragma unroll
    for (int h = 0; h < kParts; ++h) {
#pragma unroll
      for (int e = 0; e < kWide / 2; ++e) sums[h][e] = 0;
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
    for (int i = 0; i < kPieces - 2; ++i) {
      if (i < pieces) copy_piece(i);
      asm volatile("cp.async.commit_group;");
    }
    int ring = 0, free_ring = kPieces - 2;
#pragma unroll 1
    for (int piece = 0; piece < pieces; ++piece) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kPieces - 3) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();
      multiply(ring);
      if (piece + kPieces - 2 < pieces) copy_piece(free_ring);
      asm volatile("cp.async.commit_group;");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      ring = ring == kPieces - 1 ? 0 : ring + 1;
      free_ring = free_ring == kPieces - 1 ? 0 : free_ring + 1;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }

  const ProductParams& p;
  char* shared;
  uint32_t base;
  int group;
  int64_t m0, n0;
  float sums[kParts][kWide / 2];
};

}  // namespace locus::kernel::cuda
