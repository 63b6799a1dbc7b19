#include "locus/op/dropout.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {

Var dropout(const Var& x, float rate, const Random& random) {
  Check check("dropout");
  check.floating("x", x);
  check.that(rate >= 0 && rate < 1, "rate is {}, expected 0 or more and less than 1", rate);
  if (rate == 0) return x;
  const auto mask = [=](const Tensor& from) {
    const Tensor to = from.like(from.shape());
    kernels(from.device())
        .dropout({.x = from.view(),
                  .y = to.view(),
                  .rate = rate,
                  .seed = random.seed(),
                  .stream = random.stream()});
    return to;
  };
  return record(mask(x.value()), {x}, [=](const Tensor& dy) { x.accumulate(mask(dy)); });
}

}  // namespace locus::op
