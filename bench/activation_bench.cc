#include "bench/operands.h"

namespace locus::bench {

void add_activation_cases() {
  const int64_t N = 4096, C = 3072, bytes = N * C * 4;
  for (const Activation which :
       {Activation::gelu, Activation::gelu_tanh, Activation::silu, Activation::relu}) {
    add({.kernel = std::string(name_of(which)),
         .shape = text(N, C),
         .work = 2.0 * static_cast<double>(bytes),
         .footprint = 2 * bytes,
         .prepare = [=] {
           return [=, x = filled({N, C}), y = filled({N, C})] {
             cpu().activation({.activation = which, .x = x.view(), .y = y.view()});
           };
         }});
  }
  add({.kernel = "gelu_backward",
       .shape = text(N, C),
       .work = 3.0 * static_cast<double>(bytes),
       .footprint = 3 * bytes,
       .prepare = [=] {
         return [=, x = filled({N, C}), dy = filled({N, C}), dx = filled({N, C})] {
           cpu().activation_backward(
               {.activation = Activation::gelu, .x = x.view(), .dy = dy.view(), .dx = dx.view()});
         };
       }});
  add({.kernel = "gated_silu",
       .shape = text(N, C),
       .work = 3.0 * static_cast<double>(bytes),
       .footprint = 3 * bytes,
       .prepare = [=] {
         return [=, gate = filled({N, C}), up = filled({N, C}), y = filled({N, C})] {
           cpu().gated({.activation = Activation::silu, .gate = gate.view(), .up = up.view(), .y = y.view()});
         };
       }});
}

}  // namespace locus::bench
