// Matrix product with a prepacked right side: c = f(a b + bias), or c += a b.
//
// pack() rearranges b into the order in which the kernel reads it. A matrix that is used often is packed
// once. The packed layout is private to the device. A device whose packed_size() is 0 reads b as it lies. Two
// guarantees: the bits of a row of c do not depend on the other rows of a, and they do not depend on the
// number of threads.
//
// b may be bf16, which halves its size. Then a is rounded to bf16 too (to nearest, ties to even), products
// are exact and sums are f32. A bf16 b must be transposed ([n, k], the layout of weights) and a must not be,
// unless a is bf16, too. Then b may be packed as f32.
#pragma once

#include <cstdint>

#include "locus/kernel/activation.h"
#include "locus/tensor/view.h"

namespace locus::kernel {

struct PackArgs {
  ConstView b;  // [batch*k, n], or [batch*n, k] when transposed
  View packed;  // [batch, packed_size(k, n, dtype)] of b's dtype, or f32 for a bf16 b; contiguous, aligned
  int64_t k = 0, n = 0, batch = 1;
  bool transposed = false;
};

struct MatmulArgs {
  ConstView a;       // [batch*m, k], or [batch*k, m] when a_transposed
  ConstView packed;  // output of pack(); absent if the device does not pack, which reads b
  ConstView b;       // [batch*k, n], or [batch*n, k] when b_transposed
  View c;            // [batch*m, n]
  int64_t m = 0, n = 0, k = 0, batch = 1;
  bool a_transposed = false, b_transposed = false;
  bool accumulate = false;  // c += a b; bias and activation are not allowed
  ConstView bias;           // [n], or absent
  Activation activation = Activation::none;
};

// The same product for at most kMaxSmallM rows of a, with an unpacked b. For so few rows, packing b (reading
// and writing all of it) costs more than it saves. A row of c has the same bits as with MatmulArgs.
inline constexpr int64_t kMaxSmallM = 128;
struct MatmulSmallMArgs {
  ConstView a;     // [m, k]
  ConstView b;     // [n, k]: transposed; f32 or bf16
  View c;          // [m, n]
  ConstView bias;  // [n], or absent
  Activation activation = Activation::none;
};

}  // namespace locus::kernel
