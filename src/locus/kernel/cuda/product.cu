// Products of bf16 matrices. An element of c is a chain of products of 16 k each over ascending k that starts
// at 0, and again in each segment of k, in every tile size. So its bits depend neither on the tile nor on the
// other rows.
#include "locus/kernel/cuda/product.cuh"

namespace locus::kernel::cuda {

// a [m, k] or [k, m]; b [n, k] or [k, n].
#define LOCUS_PRODUCT(name, threads, blocks, rows, cols, tall, wide, a_across, b_across)      \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const ProductParams p) { \
    TileProduct<rows, cols, tall, wide, a_across, b_across>(p).run();                         \
  }
#define LOCUS_PRODUCTS(name, threads, blocks, rows, cols, tall, wide)                                \
  LOCUS_PRODUCT(locus_product_##name##_mk_nk, threads, blocks, rows, cols, tall, wide, false, false) \
  LOCUS_PRODUCT(locus_product_##name##_mk_kn, threads, blocks, rows, cols, tall, wide, false, true)  \
  LOCUS_PRODUCT(locus_product_##name##_km_nk, threads, blocks, rows, cols, tall, wide, true, false)  \
  LOCUS_PRODUCT(locus_product_##name##_km_kn, threads, blocks, rows, cols, tall, wide, true, true)

LOCUS_PRODUCTS(256, 256, 1, 128, 256, 64, 64)
LOCUS_PRODUCTS(128, 128, 2, 128, 128, 64, 64)
LOCUS_PRODUCTS(64, 128, 2, 64, 64, 32, 32)
LOCUS_PRODUCTS(16, 128, 2, 16, 64, 16, 16)

// Adds the sums of all segments in order.
LOCUS_KERNEL locus_product_sums(const ProductParams p) {
  each_eight(p.m, p.n, [&](int64_t m, int64_t n, int count) {
    float x[8], next[8];
    load(p.sums, m, n, count, x);
#pragma unroll 4
    for (int s = 1; s < p.segments; ++s) {
      load(p.sums, s * p.m + m, n, count, next);
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = x[i] + next[i];
    }
    put_eight(p, m, n, count, x);
  });
}

}  // namespace locus::kernel::cuda
