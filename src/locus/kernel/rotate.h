// Rotates pairs of a head's first `width` elements by a table of angles:
//   (a, b) -> (a cos - b sin, a sin + b cos)
// Pair n is (x[n], x[n + width/2]), or (x[2n], x[2n+1]) when interleaved. The rest of the head passes
// through. The backward pass is the same with the sign of sin flipped: the transposed matrix, which is the
// inverse where cos^2 + sin^2 = 1 (a table may carry a length besides the angle).
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

struct RotateArgs {
  ConstView x;         // [N, H*D]
  View y;              // [N, H*D]; may be x
  ConstView cos, sin;  // f32 [R, width/2], for all heads
  ConstView rows;      // i32 [N]: the table row of each token
  int64_t heads = 0, head_size = 0, width = 0;
  bool interleaved = false;
  bool backward = false;
};

}  // namespace locus::kernel
