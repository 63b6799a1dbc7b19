#include "bench/operands.h"

namespace locus::bench {
namespace {

// 16 sequences of 256 tokens, with positions counted from 0 in each.
struct Embedded {
  static constexpr int64_t V = 30522, L = 256, N = 16 * L, C = 768;
  static constexpr int64_t bytes = N * C * 4;

  Tensor tokens = filled({V, C}), positions = filled({L, C}, 2), gamma = filled({C}), beta = filled({C});
  Tensor ids = bench::ids(N, V), rows = Tensor::empty({N}, DType::i32);
  Tensor y = filled({N, C}), mean = filled({N}), rstd = filled({N});

  Embedded() {
    for (int64_t n = 0; n < N; ++n) {
      rows.data<int32_t>()[static_cast<size_t>(n)] = static_cast<int32_t>(n % L);
    }
  }

  kernel::EmbedArgs arguments(float dropout) const {
    return {.tokens = {tokens.view(), ids.view()},
            .positions = {positions.view(), rows.view()},
            .gamma = gamma.view(),
            .beta = beta.view(),
            .eps = 1e-5f,
            .dropout = dropout,
            .seed = 1,
            .stream = 2,
            .y = y.view(),
            .mean = mean.view(),
            .rstd = rstd.view()};
  }
};

}  // namespace

void add_embed_cases() {
  using E = Embedded;
  const auto size = static_cast<double>(E::bytes);
  for (const float dropout : {0.0f, 0.1f}) {
    const std::string after = dropout > 0 ? "+norm+dropout" : "+norm";
    add({.kernel = "embed" + after,
         .shape = "16x256x768",
         .work = 2 * size,
         .footprint = 2 * E::bytes,
         .prepare = [=] { return [=, e = Embedded()] { cpu().embed(e.arguments(dropout)); }; }});
    // Reads dy and the token rows, writes dx.
    add({.kernel = "embed" + after + " backward",
         .shape = "16x256x768",
         .work = 3 * size,
         .footprint = 3 * E::bytes,
         .prepare = [=] {
           return [=, e = Embedded(), dy = filled({E::N, E::C}), dx = filled({E::N, E::C}),
                   dgamma = filled({E::C}), dbeta = filled({E::C}),
                   space = filled({cpu().embed_workspace(E::N), E::C})] {
             cpu().embed_backward({.forward = e.arguments(dropout),
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
