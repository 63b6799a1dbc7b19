// How much memory a step of training takes at the least, so that a run that cannot fit says so before even
// its model is made, instead of being ended by the kernel.
#pragma once

#include <cstdint>

#include "locus/nn/blueprint.h"

namespace locus {

struct StepSize {
  double tokens = 0;  // of one part of a step
  bool recompute = false;
};

// The weights, their gradients and AdamW's two moments; and of every token, in every layer, what the backward
// pass needs: queries, keys, values, what attention puts out, both sums and the hidden values. Of layers that
// are recomputed their input alone. With a head for tokens, logits and their gradient. Less than what is
// really held: what this refuses could not have run.
double least_bytes(const Blueprint& blueprint, const StepSize& step);

// Fault::resource, with sizes and what to lower, when that is more than `available` bytes.
void check_memory(const Blueprint& blueprint, const StepSize& step, int64_t available);

}  // namespace locus
