// The matrix product with prepacked weights, f32 and bf16, and OpenBLAS on the same shapes if it is
// installed.
#include "bench/operands.h"
#include "locus/op/convert.h"

#ifdef LOCUS_OPENBLAS
#include <cblas.h>
#endif

namespace locus::bench {
namespace {

struct Sizes {
  int64_t m, k, n;
};

Case product_case(const char* kernel, Sizes s) {
  return {.kernel = kernel,
          .shape = fmt::format("{}x{}x{}", s.m, s.n, s.k),
          .work = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k),
          .footprint = 4 * (s.m * s.k + s.k * s.n + s.m * s.n),
          .limit = Limit::fma};
}

}  // namespace

void add_matmul_cases() {
  for (const Sizes s :
       {Sizes{2048, 2048, 2048}, {1024, 384, 1536}, {256, 384, 384}, {1024, 768, 3072}, {1, 768, 3072}}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      Case ours = product_case(dtype == DType::f32 ? "matmul" : "matmul_bf16", s);
      ours.prepare = [s, dtype] {
        const Tensor b = op::convert(filled({s.n, s.k}), dtype);
        const Tensor packed = Tensor::empty({1, cpu().packed_size(s.k, s.n, dtype)}, dtype);
        cpu().pack({.b = b.view(), .packed = packed.view(), .k = s.k, .n = s.n, .transposed = true});
        return [=, a = filled({s.m, s.k}), c = filled({s.m, s.n})] {
          cpu().matmul({.a = a.view(), .packed = packed.view(), .c = c.view(), .m = s.m, .n = s.n, .k = s.k});
        };
      };
      add(ours);
    }
#ifdef LOCUS_OPENBLAS
    Case blas = product_case("openblas_sgemm", s);
    blas.prepare = [s] {
      return [s, a = filled({s.m, s.k}), b = filled({s.k, s.n}), c = filled({s.m, s.n})] {
        const auto size = [](int64_t x) { return static_cast<blasint>(x); };
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(s.m), size(s.n), size(s.k), 1,
                    a.data<float>().data(), size(s.k), b.data<float>().data(), size(s.n), 0,
                    c.data<float>().data(), size(s.n));
      };
    };
    add(blas);
#endif
  }
}

}  // namespace locus::bench
