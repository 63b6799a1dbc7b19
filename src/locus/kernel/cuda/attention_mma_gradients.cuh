// Gradients of the scores of a tile of pairs, from products of bf16 rows. Own rows are queries or keys.
#pragma once

#include "locus/kernel/cuda/attention_mma.cuh"

namespace locus::kernel::cuda {

// The score of a pair after the cap, and its derivative with respect to that before the cap.
__device__ inline float capped(const AttentionMmaParams& p, float score, float& slope) {
  const float part = score == -INFINITY ? -1 : quick_tanh(score / p.cap);
  slope = 1 - part * part;
  return score == -INFINITY ? score : p.cap * part;
}

}  // namespace locus::kernel::cuda
