// Matrix product with a prepacked right side: c = f(a b + bias), or c += a b.
//
// b is first rearranged by pack() into the order the kernel reads it in; one that is used often needs that
// once. What a packed matrix looks like is the device's own affair. Two promises: a row of c has the same
// bits whatever other rows are in a, and whatever the number of threads.
//
// b may be bf16: half the bytes. Then a is rounded to bf16 as well (to nearest, ties to even), products are
// exact and sums are f32. b comes transposed, as weights lie, and a does not.
#pragma once

#include <cstdint>

#include "locus/kernel/activation.h"
#include "locus/tensor/view.h"

namespace locus::kernel {

struct PackArgs {
  ConstView b;  // [batch*k, n], or [batch*n, k] when transposed
  View packed;  // [batch, packed_size(k, n, dtype)] of b's dtype, in one run from an aligned address
  int64_t k = 0, n = 0, batch = 1;
  bool transposed = false;
};

struct MatmulArgs {
  ConstView a;       // [batch*m, k], or [batch*k, m] when a_transposed
  ConstView packed;  // what pack() wrote
  View c;            // [batch*m, n]
  int64_t m = 0, n = 0, k = 0, batch = 1;
  bool a_transposed = false;
  bool accumulate = false;  // c += a b; then neither bias nor activation
  ConstView bias;           // [n], or absent
  Activation activation = Activation::none;
};

// The same for up to kFewRows rows of a, with b as it lies. They would not repay packing b, which reads and
// writes all of it; a row of c has the bits it has in MatmulArgs.
inline constexpr int64_t kFewRows = 128;
struct FewRowsArgs {
  ConstView a;     // [m, k]
  ConstView b;     // [n, k]: transposed; f32 or bf16
  View c;          // [m, n]
  ConstView bias;  // [n], or absent
  Activation activation = Activation::none;
};

}  // namespace locus::kernel
