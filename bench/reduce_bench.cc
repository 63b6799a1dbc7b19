#include <benchmark/benchmark.h>

#include "bench/operands.h"

namespace locus::bench {

void add_reduce_cases() {
  const int64_t n = 16 << 20;
  const auto add_reduction = [=](const char* name, void (*Kernels::*reduce)(const kernel::SumArgs&)) {
    add({.kernel = name,
         .shape = std::to_string(n),
         .work = 4.0 * static_cast<double>(n),
         .footprint = 4 * n,
         .limit = Limit::read,
         .prepare = [=] {
           return [=, x = filled({n}), out = filled({1})] { (cpu().*reduce)({x.view(), out.view()}); };
         }});
  };
  add_reduction("sum", &Kernels::sum);
  add_reduction("squared_norm", &Kernels::squared_norm);
}

}  // namespace locus::bench
