#include "bench/operands.h"

namespace locus::bench {

// Queries and keys of 4 sequences of 1024 tokens, 12 heads of 64, in place.
void add_rotate_cases() {
  const int64_t L = 1024, N = 4 * L, H = 12, D = 64, bytes = 2 * N * H * D * 4;
  for (const bool interleaved : {false, true}) {
    add({.kernel = interleaved ? "rotate interleaved" : "rotate halves",
         .shape = "2x4x12x1024x64",
         .work = 2.0 * static_cast<double>(bytes),
         .footprint = bytes,
         .limit = Limit::scale,
         .prepare = [=] {
           // A rotation by angle 0 leaves the values unchanged over any number of runs.
           const Tensor rows = Tensor::empty({N}, DType::i32);
           for (int64_t n = 0; n < N; ++n)
             rows.data<int32_t>()[static_cast<size_t>(n)] = static_cast<int32_t>(n % L);
           return [=, q = filled({N, H * D}), k = filled({N, H * D}), cos = Tensor::full({L, D / 2}, 1),
                   sin = Tensor::zeros({L, D / 2})] {
             for (const Tensor& x : {q, k}) {
               cpu().rotate({.x = x.view(),
                             .y = x.view(),
                             .cos = cos.view(),
                             .sin = sin.view(),
                             .rows = rows.view(),
                             .heads = H,
                             .head_size = D,
                             .width = D,
                             .interleaved = interleaved});
             }
           };
         }});
  }
}

}  // namespace locus::bench
