// Cross entropy over a vocabulary, fused with the softmax: probabilities are never stored.
//   loss[n] = (1 - s) w[t] (lse - x[t]) + s/V sum_c w[c] (lse - x[c])
//   t = targets[n],  lse = log sum_c e^x[c]
// s is the label smoothing and w the class weights (1 if absent). A row whose target is kIgnoredTarget has
// loss 0.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

inline constexpr int32_t kIgnoredTarget = -100;

struct CrossEntropyArgs {
  ConstView logits;   // [N, V]
  ConstView targets;  // i32 [N], each in [0, V) or kIgnoredTarget
  ConstView weights;  // [V], or absent
  View loss;          // [N]
  View lse;           // [N]
  float smoothing = 0;
};

// dlogits[n, c] = dloss / divisor ((1 - s) w[t] (p[c] - [c = t]) + s/V (p[c] sum w - w[c])),  p = e^(x - lse)
struct CrossEntropyBackwardArgs {
  ConstView logits, targets, weights, lse;  // same as in the forward pass
  ConstView dloss;                          // one element
  double divisor = 1;
  View dlogits;  // [N, V]; may be the memory of logits
  float smoothing = 0;
};

}  // namespace locus::kernel
