#include "locus/op/column_sum.h"

#include "locus/kernel/kernels.h"

namespace locus::op {

Tensor column_sum(const Tensor& x) {
  const Tensor out = x.like({x.shape().cols()});
  const Kernels& device = kernels(x.device());
  const Tensor workspace = x.like({device.partial_rows(x.shape().rows()), x.shape().cols()});
  device.column_sum({.x = x.view(), .out = out.view(), .workspace = workspace.view()});
  return out;
}

}  // namespace locus::op
