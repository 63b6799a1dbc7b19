#include "bench/operands.h"

namespace locus::bench {

// Forward reads the logits; backward reads them again and writes the gradient: 12 bytes per element.
void add_loss_cases() {
  const int64_t N = 256, V = 50257, bytes = N * V * 4;
  const auto add_passes = [=](const char* name, double moved, bool forward, bool backward) {
    add({.kernel = name,
         .shape = text(N, V),
         .work = moved * static_cast<double>(N * V),
         .footprint = 2 * bytes,
         .prepare = [=] {
           return [=, logits = filled({N, V}), dlogits = filled({N, V}), targets = ids(N, V),
                   loss = filled({N}), lse = Tensor::full({N}, 11.0f), dloss = filled({N})] {
             if (forward) {
               cpu().cross_entropy({.logits = logits.view(),
                                    .targets = targets.view(),
                                    .loss = loss.view(),
                                    .lse = lse.view()});
             }
             if (backward) {
               cpu().cross_entropy_backward({.logits = logits.view(),
                                             .targets = targets.view(),
                                             .lse = lse.view(),
                                             .dloss = dloss.view(),
                                             .dlogits = dlogits.view()});
             }
           };
         }});
  };
  add_passes("cross_entropy", 4, true, false);
  add_passes("cross_entropy_backward", 8, false, true);
  add_passes("cross_entropy_both", 12, true, true);
}

}  // namespace locus::bench
