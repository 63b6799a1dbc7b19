// A lower bound on the memory of a training step. A run that cannot fit fails with an error before its model
// is built, instead of being killed by the operating system.
#pragma once

#include <cstdint>

#include "locus/nn/blueprint.h"

namespace locus {

struct StepSize {
  double tokens = 0;  // of one micro-batch
  bool recompute = false;
  bool bf16 = false;   // activations
  int64_t shards = 1;  // of the step: up to log2(shards) sums of gradients wait for another
  int64_t ranks = 1;   // processes that share the shards and the moments
};

// Counts the weights with the tables of the schemes, their gradients, the sums of shards and AdamW's two
// moments. For every token and layer it adds the activations of the backward pass: queries, keys, values,
// attention output, both residual sums and the hidden values. With gradient checkpointing (recompute) only
// the layer's input counts. A head over the vocabulary adds logits and their gradient. Real use is higher, so
// a run that fails this check could not have run.
double least_bytes(const Blueprint& blueprint, const StepSize& step);

// Throws Fault::resource if the bound is above `available` bytes. The error names the sizes and the settings
// to lower.
void check_memory(const Blueprint& blueprint, const StepSize& step, int64_t available);

}  // namespace locus
