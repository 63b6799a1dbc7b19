// The specification of every kernel: plain loops with arithmetic in double. Storage is f32 or f64, or bf16
// for the right side of a product.
#pragma once

#include "locus/kernel/kernels.h"

namespace locus::kernel::reference {

const Kernels& table();

int64_t packed_size(int64_t k, int64_t n, DType b);
void pack(const PackArgs&);
void matmul(const MatmulArgs&);
void matmul_small_m(const MatmulSmallMArgs&);
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

}  // namespace locus::kernel::reference
