#include "locus/op/convert.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {

Tensor convert(const Tensor& x, DType dtype) {
  const Check check("convert");
  check.that(static_cast<bool>(x), "x is missing");
  check.that(is_float(x.dtype()) && is_float(dtype), Code::bad_shape,
             "cannot convert {} to {}, expected floating-point dtypes", name_of(x.dtype()), name_of(dtype));
  if (x.dtype() == dtype) return x;
  const Tensor out = Tensor::empty(x.shape(), dtype, x.device());
  kernels(x.device()).convert({.from = x.view(), .to = out.view()});
  return out;
}

}  // namespace locus::op
