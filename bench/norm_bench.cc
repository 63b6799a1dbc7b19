#include "bench/operands.h"

namespace locus::bench {

void add_norm_cases() {
  const int64_t C = 768;
  for (const int64_t N : {int64_t{512}, int64_t{8192}}) {
    const int64_t bytes = N * C * 4;
    for (const bool rms : {false, true}) {
      add({.kernel = rms ? "rms_norm" : "layer_norm",
           .shape = text(N, C),
           .work = 2.0 * static_cast<double>(bytes),
           .footprint = 2 * bytes,
           .prepare = [=] {
             return [=, x = filled({N, C}), y = filled({N, C}), gamma = filled({C}), beta = filled({C}),
                     mean = filled({N}), rstd = filled({N})] {
               cpu().norm({.x = x.view(),
                           .gamma = gamma.view(),
                           .beta = rms ? View() : beta.view(),
                           .y = y.view(),
                           .mean = rms ? View() : mean.view(),
                           .rstd = rstd.view(),
                           .eps = 1e-5f,
                           .rms = rms});
             };
           }});
    }
    add({.kernel = "layer_norm_backward",
         .shape = text(N, C),
         .work = 3.0 * static_cast<double>(bytes),
         .footprint = 3 * bytes,
         .prepare = [=] {
           return [=, x = filled({N, C}), dy = filled({N, C}), dx = filled({N, C}), gamma = filled({C}),
                   mean = filled({N}), rstd = filled({N}), dgamma = filled({C}), dbeta = filled({C}),
                   space = filled({2 * cpu().partial_rows(N), C})] {
             cpu().norm_backward({.x = x.view(),
                                  .gamma = gamma.view(),
                                  .mean = mean.view(),
                                  .rstd = rstd.view(),
                                  .dy = dy.view(),
                                  .dx = dx.view(),
                                  .dgamma = dgamma.view(),
                                  .dbeta = dbeta.view(),
                                  .workspace = space.view()});
           };
         }});
  }
}

}  // namespace locus::bench
