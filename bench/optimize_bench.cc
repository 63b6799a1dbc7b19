#include "bench/operands.h"

namespace locus::bench {

void add_optimize_cases() {
  const int64_t n = 4 << 20;
  // Reads the parameter, the gradient and both moments; writes all but the gradient.
  add({.kernel = "adamw",
       .shape = std::to_string(n),
       .work = 28.0 * static_cast<double>(n),
       .footprint = 16 * n,
       .prepare = [=] {
         return [p = filled({n}), g = filled({n}, 2), m = filled({n}, 3), v = Tensor::full({n}, 0.5f)] {
           const kernel::AdamWParameter list[] = {{.parameter = p.view(),
                                                   .gradient = g.view(),
                                                   .first = m.view(),
                                                   .second = v.view(),
                                                   .decay = 0.01f,
                                                   .step = 10}};
           cpu().adamw({.list = list, .rate = 1e-4f});
         };
       }});
}

}  // namespace locus::bench
