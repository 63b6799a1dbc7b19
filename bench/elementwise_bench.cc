#include "bench/operands.h"

namespace locus::bench {

void add_elementwise_cases() {
  const int64_t N = 8192, C = 768, bytes = N * C * 4;
  const auto size = static_cast<double>(bytes);
  add({.kernel = "add", .shape = text(N, C), .work = 3 * size, .footprint = 3 * bytes, .prepare = [=] {
         return [a = filled({N, C}), b = filled({N, C}), out = filled({N, C})] {
           cpu().add({.a = a.view(), .b = b.view(), .out = out.view()});
         };
       }});
  add({.kernel = "scale",
       .shape = text(N, C),
       .work = 2 * size,
       .footprint = bytes,
       .limit = Limit::scale,
       .prepare = [=] {
         return [x = filled({N, C})] { cpu().scale({.x = x.view(), .out = x.view(), .factor = 1.0000001f}); };
       }});
  add({.kernel = "bias", .shape = text(N, C), .work = 2 * size, .footprint = 2 * bytes, .prepare = [=] {
         return [x = filled({N, C}), bias = filled({C}), out = filled({N, C})] {
           cpu().bias({.x = x.view(), .bias = bias.view(), .out = out.view()});
         };
       }});
  add({.kernel = "column_sum",
       .shape = text(N, C),
       .work = size,
       .footprint = bytes,
       .limit = Limit::read,
       .prepare = [=] {
         return [=, x = filled({N, C}), out = filled({C}), space = filled({cpu().partial_rows(N), C})] {
           cpu().column_sum({.x = x.view(), .out = out.view(), .workspace = space.view()});
         };
       }});
  add({.kernel = "dropout", .shape = text(N, C), .work = 2 * size, .footprint = 2 * bytes, .prepare = [=] {
         return [x = filled({N, C}), y = filled({N, C})] {
           cpu().dropout({.x = x.view(), .y = y.view(), .rate = 0.1f, .seed = 1, .stream = 2});
         };
       }});
  for (const DType half : {DType::bf16, DType::f16}) {
    add({.kernel = fmt::format("to_{}", name_of(half)),
         .shape = text(N, C),
         .work = 1.5 * size,
         .footprint = bytes * 3 / 2,
         .prepare = [=] {
           return [from = filled({N, C}), to = Tensor::zeros({N, C}, half)] {
             cpu().convert({.from = from.view(), .to = to.view()});
           };
         }});
    add({.kernel = fmt::format("from_{}", name_of(half)),
         .shape = text(N, C),
         .work = 1.5 * size,
         .footprint = bytes * 3 / 2,
         .prepare = [=] {
           return [from = Tensor::full({N, C}, 1.5f, half), to = filled({N, C})] {
             cpu().convert({.from = from.view(), .to = to.view()});
           };
         }});
  }
}

}  // namespace locus::bench
