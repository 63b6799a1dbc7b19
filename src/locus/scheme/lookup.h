// Position lookup in a learned table, as a standalone function:
//   out[n, t, :] = table[positions[n, t], :]
#pragma once

#include "locus/autograd/var.h"

namespace locus {

// positions [N, T]: i32, i64, or f32 holding whole numbers, each in [0, max_len). table [max_len, d_model].
// Returns [N, T, d_model]. The gradient of a row that occurs several times is the sum over its occurrences.
Var lookup(const Tensor& positions, const Var& table);

}  // namespace locus
