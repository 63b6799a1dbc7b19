// Packs the right side of a product. Not in matmul.cu, because ptxas gives registers to a kernel of products
// by what else is in its file.
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {

// Copies b to rows of n. A block has 32 x 32 elements, which pass through shared memory if b is transposed.
// Blocks are counted along k, then n, then the matrices of the batch: only x has room for all.
LOCUS_KERNEL locus_pack(const PackParams p) {
  __shared__ uint32_t tile[32][33];
  const int x = static_cast<int>(threadIdx.x) % 32, y = static_cast<int>(threadIdx.x) / 32;
  const auto [k0, n0, batch] = square_of(blockIdx.x, p.k, p.n);
  for (int i = y; i < 32; i += 8) {
    const int64_t k = k0 + (p.transposed ? x : i), n = n0 + (p.transposed ? i : x);
    if (k >= p.k || n >= p.n) continue;
    const int64_t place =
        p.transposed ? (batch * p.n + n) * p.b.stride + k : (batch * p.k + k) * p.b.stride + n;
    tile[p.transposed ? x : i][p.transposed ? i : x] =
        p.size == 2 ? reinterpret_cast<const uint16_t*>(p.b.data)[place]
                    : reinterpret_cast<const uint32_t*>(p.b.data)[place];
  }
  __syncthreads();
  for (int i = y; i < 32; i += 8) {
    const int64_t k = k0 + i, n = n0 + x;
    if (k >= p.k || n >= p.n) continue;
    const int64_t place = batch * p.packed_stride + k * p.n + n;
    if (p.size == 2) {
      reinterpret_cast<uint16_t*>(p.packed)[place] = static_cast<uint16_t>(tile[i][x]);
    } else {
      reinterpret_cast<uint32_t*>(p.packed)[place] = tile[i][x];
    }
  }
}

}  // namespace locus::kernel::cuda
