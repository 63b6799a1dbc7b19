// Matrix products. An element of c is one chain of fused multiply-adds over ascending k that starts at 0, in
// every tile size. So its bits depend neither on the tile nor on the other rows.
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {
namespace {

constexpr int kPadding = 64;  // k is padded with zeros to a multiple of this, for every tile

__device__ float left(const MatmulParams& p, int64_t m, int64_t k) {
  if (m >= p.m || k >= p.k) return 0;
  return p.a[blockIdx.z * p.a_batch + m * p.a_m + k * p.a_k];
}

__device__ float right(const MatmulParams& p, int64_t k, int64_t n) {
  if (k >= p.k || n >= p.n) return 0;
  return p.b[blockIdx.z * p.b_batch + k * p.b_k + n * p.b_n];
}

// A tile of ROWS x COLS elements, kDepth of k at a time; a thread has TALL x WIDE of them.
template <int ROWS, int COLS, int TALL, int WIDE, int kDepth>
__device__ void tile_product(const MatmulParams& p) {
  static_assert(ROWS / TALL * (COLS / WIDE) == kThreads && kPadding % kDepth == 0);
  constexpr int kLeft = ROWS * kDepth / kThreads, kRight = COLS * kDepth / kThreads;
  __shared__ __align__(16) float a_tile[kDepth][ROWS + 4], b_tile[kDepth][COLS + 4];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t m0 = int64_t{blockIdx.x} * ROWS, n0 = int64_t{blockIdx.y} * COLS;
  const int row = thread / (COLS / WIDE) * TALL, column = thread % (COLS / WIDE) * WIDE;
  float sums[TALL][WIDE] = {}, new_a[kLeft], new_b[kRight];
  // Neighboring threads load neighboring elements.
  const bool a_along_k = p.a_k == 1, b_along_k = p.b_k == 1 && p.b_n != 1;
  const auto a_place = [&](int i, int& m, int& k) {
    const int e = i * kThreads + thread;
    m = a_along_k ? e / kDepth : e % ROWS;
    k = a_along_k ? e % kDepth : e / ROWS;
  };
  const auto b_place = [&](int i, int& k, int& n) {
    const int e = i * kThreads + thread;
    n = b_along_k ? e / kDepth : e % COLS;
    k = b_along_k ? e % kDepth : e / COLS;
  };
  const auto load = [&](int64_t k0) {
    int m = 0, n = 0, k = 0;
#pragma unroll
    for (int i = 0; i < kLeft; ++i) {
      a_place(i, m, k);
      new_a[i] = left(p, m0 + m, k0 + k);
    }
#pragma unroll
    for (int i = 0; i < kRight; ++i) {
      b_place(i, k, n);
      new_b[i] = right(p, k0 + k, n0 + n);
    }
  };
  const int64_t padded = divided_up(p.k, kPadding) * kPadding;
  for (int64_t k0 = 0; k0 < padded; k0 += kDepth) {
    int m = 0, n = 0, k = 0;
    load(k0);
    __syncthreads();  // the last piece has been read
#pragma unroll
    for (int i = 0; i < kLeft; ++i) {
      a_place(i, m, k);
      a_tile[k][m] = new_a[i];
    }
#pragma unroll
    for (int i = 0; i < kRight; ++i) {
      b_place(i, k, n);
      b_tile[k][n] = new_b[i];
    }
    __syncthreads();
#pragma unroll 16
    for (int d = 0; d < kDepth; ++d) {
      float a[TALL], b[WIDE];
#pragma unroll
      for (int i = 0; i < TALL; ++i) a[i] = a_tile[d][row + i];
#pragma unroll
      for (int j = 0; j < WIDE; ++j) b[j] = b_tile[d][column + j];
#pragma unroll
      for (int i = 0; i < TALL; ++i) {
#pragma unroll
        for (int j = 0; j < WIDE; ++j) sums[i][j] = __fmaf_rn(a[i], b[j], sums[i][j]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < TALL; ++i) {
#pragma unroll
    for (int j = 0; j < WIDE; ++j) {
      const int64_t m = m0 + row + i, n = n0 + column + j;
      if (m >= p.m || n >= p.n) continue;
      float& c = p.c.at(blockIdx.z * p.m + m, n);
      float value = sums[i][j];
      if (p.accumulate) value += c;
      if (p.bias != nullptr) value += p.bias[n];
      c = value;
    }
  }
}

}  // namespace

// At most 128 registers, so that a multiprocessor has two blocks.
extern "C" __global__ void __launch_bounds__(kThreads, 2) locus_matmul_128(const MatmulParams p) {
  tile_product<128, 128, 8, 8, 8>(p);
}
LOCUS_KERNEL locus_matmul_64(const MatmulParams p) { tile_product<64, 64, 4, 4, 16>(p); }
LOCUS_KERNEL locus_matmul_16(const MatmulParams p) { tile_product<16, 64, 1, 4, 64>(p); }

}  // namespace locus::kernel::cuda
