// Products of bf16 matrices for Hopper, in the order of product.cu. Empty for other GPUs.
#include "locus/kernel/cuda/product_hopper.cuh"

namespace locus::kernel::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define LOCUS_GROUP_PRODUCT(rows, cols, a_across, b_across) \
  GroupProduct<rows, cols, a_across, b_across>(p).run();
#else
#define LOCUS_GROUP_PRODUCT(rows, cols, a_across, b_across)
#endif
#define LOCUS_PRODUCT(name, rows, cols, a_across, b_across)                                 \
  extern "C" __global__ void __launch_bounds__(2 * (rows), 1) name(const ProductParams p) { \
    LOCUS_GROUP_PRODUCT(rows, cols, a_across, b_across)                                     \
  }
#define LOCUS_PRODUCTS(name, rows, cols)                               \
  LOCUS_PRODUCT(locus_hopper_##name##_mk_nk, rows, cols, false, false) \
  LOCUS_PRODUCT(locus_hopper_##name##_mk_kn, rows, cols, false, true)  \
  LOCUS_PRODUCT(locus_hopper_##name##_km_nk, rows, cols, true, false)  \
  LOCUS_PRODUCT(locus_hopper_##name##_km_kn, rows, cols, true, true)

LOCUS_PRODUCTS(256, 128, 256)
LOCUS_PRODUCTS(128, 128, 128)
LOCUS_PRODUCTS(64, 64, 64)

}  // namespace locus::kernel::cuda
