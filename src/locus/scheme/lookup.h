// A learned table looked up by position, as a function of its own:
//   out[n, t, :] = table[positions[n, t], :]
#pragma once

#include "locus/autograd/var.h"

namespace locus {

// positions [N, T] as i32, i64 or f32 holding whole numbers, each in [0, max_len); table [max_len, d_model]:
// [N, T, d_model]. The table's gradient adds up rows that occur more than once.
Var lookup(const Tensor& positions, const Var& table);

}  // namespace locus
