#include "locus/op/column_sum.h"

#include "locus/kernel/kernels.h"
#include "locus/op/sums.h"

namespace locus::op {

Tensor column_sum(const Tensor& x) {
  const Tensor out = sums_like(x, {x.shape().cols()});
  const Kernels& device = kernels(x.device());
  const Tensor workspace = sums_like(x, {device.partial_rows(x.shape().rows()), x.shape().cols()});
  device.column_sum({.x = x.view(), .out = out.view(), .workspace = workspace.view()});
  return out;
}

}  // namespace locus::op
