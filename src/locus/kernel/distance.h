// Score terms that two learned numbers shape: a decay over distances, and a quotient for every pair of query
// and key. Arithmetic is in double on every device, because the tables are small and the formulas cancel.
#pragma once

#include <cstdint>

#include "locus/kernel/attention.h"

namespace locus::kernel {

// Column s belongs to the distance least + s, n its absolute value. For every head:
//   logarithm  out = -a ln(1 + b n)
//   power      out = -a n^b
// a = max(r1, kLeastRate), b = max(r2, kLeastRate), and at most kLargestPower as a power.
inline constexpr double kLeastRate = 0.01, kLargestPower = 2;
struct DistanceDecayArgs {
  ConstView r1, r2;  // [H]
  bool power = false;
  int64_t least = 0;
  View out;  // [H, S]
};

// Gradients by a and b, as if r1 and r2 were not clamped. Distances are added in ascending order.
struct DistanceDecayBackwardArgs {
  DistanceDecayArgs forward;  // without out
  ConstView dout;             // [H, S]
  View dr1, dr2;              // [H]
};

// For every pair of a query at position i and a key at distance n (absolute), in the order of a dense score
// term:
//   out = ln(1 + |c| n) / (ln(1 + |c| max(i, |multiplier| threshold)) + kQuotientEps)
inline constexpr double kQuotientEps = 1e-6;
struct PairQuotientArgs {
  ConstView c, multiplier;  // one element
  double threshold = 0;     // above 0
  SequenceViews sequences;
  View out;  // [P, 1]
};

struct PairQuotientBackwardArgs {
  PairQuotientArgs forward;  // without out
  ConstView dout;            // [P, 1]
  View dc, dmultiplier;      // one element
};

}  // namespace locus::kernel
