#include "locus/op/column_sum.h"

#include "locus/kernel/kernels.h"

namespace locus::op {

Tensor column_sum(const Tensor& x) {
  const Tensor out = x.like({x.shape().cols()});
  const Tensor workspace = x.like({kernel::partial_chunks(x.shape().rows()), x.shape().cols()});
  kernels(x.device()).column_sum({.x = x.view(), .out = out.view(), .workspace = workspace.view()});
  return out;
}

}  // namespace locus::op
