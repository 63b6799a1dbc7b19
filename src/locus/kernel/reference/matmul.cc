#include <algorithm>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/activation.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

// The packed layout is row-major [k, n].
int64_t packed_size(int64_t k, int64_t n, DType) { return std::max<int64_t>(k * n, 1); }

void pack(const PackArgs& args) {
  for (int64_t batch = 0; batch < args.batch; ++batch) {
    for (int64_t k = 0; k < args.k; ++k) {
      for (int64_t n = 0; n < args.n; ++n) {
        const double value =
            args.transposed ? at(args.b, batch * args.n + n, k) : at(args.b, batch * args.k + k, n);
        put(args.packed, batch, k * args.n + n, value);
      }
    }
  }
}

namespace {

// An element of a as it enters a product with b: rounded to bf16 if b is bf16.
double rounded(double a, DType b) {
  return b == DType::bf16 ? static_cast<double>(to_f32(to_bf16(static_cast<float>(a)))) : a;
}

}  // namespace

void matmul(const MatmulArgs& args) {
  for (int64_t batch = 0; batch < args.batch; ++batch) {
    for (int64_t m = 0; m < args.m; ++m) {
      for (int64_t n = 0; n < args.n; ++n) {
        const int64_t row = batch * args.m + m;
        double sum = args.accumulate ? at(args.c, row, n) : args.bias ? at(args.bias, n) : 0;
        for (int64_t k = 0; k < args.k; ++k) {
          const double a = args.a_transposed ? at(args.a, batch * args.k + k, m) : at(args.a, row, k);
          sum += rounded(a, args.packed.dtype) * at(args.packed, batch, k * args.n + n);
        }
        put(args.c, row, n, activate(args.activation, sum));
      }
    }
  }
}

void matmul_small_m(const MatmulSmallMArgs& args) {
  each(args.c, [&](int64_t m, int64_t n) {
    double sum = args.bias ? at(args.bias, n) : 0;
    for (int64_t k = 0; k < args.b.cols; ++k) {
      sum += rounded(at(args.a, m, k), args.b.dtype) * at(args.b, n, k);
    }
    put(args.c, m, n, activate(args.activation, sum));
  });
}

}  // namespace locus::kernel::reference
