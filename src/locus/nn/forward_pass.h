// One pass through a model: what goes in, and how.
#pragma once

#include <vector>

#include "locus/autograd/var.h"
#include "locus/base/random.h"
#include "locus/scheme/placement.h"

namespace locus {

class Cache;

// Tokens of all sequences, packed, and where they stand.
struct Tokens {
  Tensor ids;  // i32 [N]
  Placement placement;
  Tensor segments;  // i32 [N], or absent: all 0
};

// What an encoder says about a text, for a decoder to read.
struct Memory {
  Var states;  // [N, C]
  Placement placement;
};

// What someone who looks into a model sees, of one sequence.
struct Trace {
  std::vector<Tensor> states;   // [N, C]: the embeddings, then what each layer made of them
  std::vector<Tensor> weights;  // [H, N, N] of every layer's attention
};

struct ForwardPass {
  bool training = false;   // dropout acts
  bool recompute = false;  // layers keep their input alone and compute the rest again backward, by the
                           // model, which must still be there
  Cache* cache = nullptr;  // keys and values seen before; this pass adds its own
  Trace* trace = nullptr;
  uint64_t seed = 0;  // of dropout
  uint64_t step = 0;  // numbers passes: another step, another mask

  // The random numbers of one place in the model; places are below 2^24.
  Random random(uint64_t place) const { return {seed, step << 24 | place}; }
};

}  // namespace locus
