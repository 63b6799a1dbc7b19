// The CPU kernels: Highway, dispatched at run time to the best SIMD target. Storage is f32, or bf16 for the
// right side of a product; arithmetic is f32. Those in the table take bf16 activations as well (widen.h).
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::cpu {

const Kernels& table();

// Which product runs when, for m rows of a:
//   matmul                       b is packed beforehand; any m
//   matmul_small_m, m <= 8       dot products with the rows of b (dot_strip-inl.h; bfmmla.h for bf16)
//   matmul_medium_m, m <= 64     b is f32 and stays unpacked: transposed tiles (transposed_block-inl.h)
//   matmul_medium_m, m <= 128    panels of b are packed on demand (matmul_block-inl.h); bf16 from m = 9
LOCUS_KERNELS(LOCUS_KERNEL_FUNCTION)
// matmul_small_m calls matmul_medium_m for more than kMaxDotRows rows.
inline constexpr int64_t kMaxDotRows = 8;
void matmul_medium_m(const MatmulSmallMArgs&);

}  // namespace locus::kernel::cpu
