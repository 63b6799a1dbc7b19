// Attention on tensor cores: bf16 activations, head sizes 32, 64, 96 and 128, masks, by_distance, cap and
// dropout. Everything else is for the kernels in f32.
#pragma once

#include "locus/kernel/attention.h"

namespace locus::kernel::cuda {

// Whether these kernels compute the call: a function of its shapes, terms and addresses.
bool takes_bf16(const AttentionArgs&);
bool takes_bf16(const AttentionBackwardArgs&);

void attention_mma(const AttentionArgs&);
int64_t attention_mma_backward_workspace(const AttentionBackwardArgs&);
void attention_mma_backward(const AttentionBackwardArgs&);

}  // namespace locus::kernel::cuda
