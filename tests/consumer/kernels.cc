// The position kernels alone: the second face of the library, which needs no other header.
#include <fmt/core.h>

#include "locus/fast.h"

void rotate_one_head() {
  const locus::Tensor q = locus::Tensor::of({1, 2}, {1.f, 0.f});
  locus::fast::Rotator(2).rotate(q, {1});
  fmt::print("rotated [{:.2f}, {:.2f}]\n", q.data<float>()[0], q.data<float>()[1]);
}
