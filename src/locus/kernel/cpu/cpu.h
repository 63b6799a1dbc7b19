// The CPU kernels: Highway, dispatched at run time to the best SIMD target. Storage is f32, or bf16 for the
// right side of a product; arithmetic is f32.
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::cpu {

const Kernels& table();

// Which product runs when, for m rows of a:
//   matmul                       b is packed beforehand; any m
//   matmul_small_m, m <= 8       dot products with the rows of b (dot_strip-inl.h; bfmmla.h for bf16)
//   matmul_medium_m, m <= 64     b is f32 and stays unpacked: transposed tiles (transposed_block-inl.h)
//   matmul_medium_m, m <= 128    panels of b are packed on demand (matmul_block-inl.h); bf16 from m = 9
int64_t packed_size(int64_t k, int64_t n, DType b = DType::f32);
void pack(const PackArgs&);
void matmul(const MatmulArgs&);
void matmul_small_m(const MatmulSmallMArgs&);
// matmul_small_m calls matmul_medium_m for more than kMaxDotRows rows.
inline constexpr int64_t kMaxDotRows = 8;
void matmul_medium_m(const MatmulSmallMArgs&);
void norm(const NormArgs&);
void norm_backward(const NormBackwardArgs&);
void activation(const ActivationArgs&);
void activation_backward(const ActivationBackwardArgs&);
void gated(const GatedArgs&);
void gated_backward(const GatedBackwardArgs&);
void add(const AddArgs&);
void scale(const ScaleArgs&);
void multiply(const MultiplyArgs&);
void bias(const BiasArgs&);
void column_sum(const ColumnSumArgs&);
void dropout(const DropoutArgs&);
void convert(const ConvertArgs&);
void gather(const GatherArgs&);
void scatter_add(const ScatterAddArgs&);
void embed(const EmbedArgs&);
void embed_backward(const EmbedBackwardArgs&);
void rotate(const RotateArgs&);
void cross_entropy(const CrossEntropyArgs&);
void cross_entropy_backward(const CrossEntropyBackwardArgs&);
double sum(ConstView);
double squared_norm(ConstView);
int64_t attention_workspace(const AttentionArgs&);
int64_t attention_backward_workspace(const AttentionBackwardArgs&);
void attention(const AttentionArgs&);
void attention_backward(const AttentionBackwardArgs&);
void adamw(const AdamWArgs&);

}  // namespace locus::kernel::cpu
