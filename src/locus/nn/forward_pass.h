// The inputs and settings of one forward pass.
#pragma once

#include <vector>

#include "locus/autograd/var.h"
#include "locus/base/random.h"
#include "locus/scheme/placement.h"

namespace locus {

class Cache;

// The packed tokens of all sequences, with their positions.
struct Tokens {
  Indices ids;  // [N]
  Placement placement;
  Indices segments;  // [N], or absent: all 0
};

// The output of an encoder, which a decoder attends to.
struct Memory {
  Var states;  // [N, C]
  Placement placement;
};

// Intermediate values of a forward pass over one sequence, for inspection.
struct Trace {
  std::vector<Tensor> states;   // [N, C]: the embeddings, then the output of each layer
  std::vector<Tensor> weights;  // [H, N, N]: the attention weights of each layer
};

struct ForwardPass {
  bool training = false;  // apply dropout
  // Gradient checkpointing: layers keep only their input and run again during backward(). The model must
  // exist until then.
  bool recompute = false;
  // Activations and their gradients in bf16. Parameters with their gradients, statistics, tables of scores,
  // losses and sums stay f32.
  bool bf16 = false;
  Cache* cache = nullptr;  // KV cache; this pass reads it and appends to it
  Trace* trace = nullptr;
  uint64_t seed = 0;  // of dropout
  uint64_t step = 0;  // number of the pass: every step has other dropout masks

  // The random numbers of one place in the model; place numbers are below 2^24.
  Random random(uint64_t place) const { return {seed, step << 24 | place}; }
};

}  // namespace locus
