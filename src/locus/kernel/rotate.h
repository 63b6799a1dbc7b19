// Rotates pairs of the first `width` elements of each head by a table of angles:
//   (a, b) -> (a cos - b sin, a sin + b cos)
// Pair n is (x[n], x[n + width/2]), or (x[2n], x[2n+1]) if interleaved. The rest of the head is copied. The
// backward pass flips the sign of sin, which is the transposed matrix. It is also the inverse if cos^2 +
// sin^2 = 1; a table may also include a scale factor.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

struct RotateArgs {
  ConstView x;         // [N, H*D]
  View y;              // [N, H*D]; may be the memory of x
  ConstView cos, sin;  // f32 [R, width/2], shared by all heads
  ConstView rows;      // i32 [N]: the table row of each token
  int64_t heads = 0, head_size = 0, width = 0;
  bool interleaved = false;
  bool backward = false;
};

}  // namespace locus::kernel
