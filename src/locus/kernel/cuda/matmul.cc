// Products of f32, and where they are bf16 (product.cc) instead.
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"
#include "locus/kernel/cuda/product.h"

namespace locus::kernel::cuda {
namespace {

// All tiles give the same bits. Large ones load less; small ones keep every multiprocessor busy.
void launch_product(const MatmulParams& params, int64_t batch) {
  const auto grid = [&](int64_t rows, int64_t columns) -> std::array<int64_t, 3> {
    return {divided_up(params.m, rows), divided_up(params.n, columns), batch};
  };
  const std::array<int64_t, 3> large = grid(128, 128);
  if (large[0] * large[1] * large[2] >= locus::cuda::multiprocessors()) {
    launch("matmul/matmul_128", large, params);
  } else if (params.m > 16) {
    launch("matmul/matmul_64", grid(64, 64), params);
  } else {
    launch("matmul/matmul_16", grid(16, 64), params);
  }
}

// A grid has room for 65535 tiles of columns and as many matrices. More take several launches.
void product(const MatmulParams& whole, int64_t batch) {
  constexpr int64_t kMostColumns = kMostBlocks * 64;
  for (int64_t first = 0; first < batch; first += kMostBlocks) {
    for (int64_t column = 0; column < whole.n; column += kMostColumns) {
      MatmulParams part = whole;
      part.n = smaller(whole.n - column, kMostColumns);
      part.a += first * whole.a_batch;
      part.b += first * whole.b_batch + column * whole.b_n;
      part.c.data += first * whole.m * whole.c.stride + column;
      if (whole.bias != nullptr) part.bias += column;
      launch_product(part, smaller(batch - first, kMostBlocks));
    }
  }
}

}  // namespace

// Products read b as it lies.
int64_t packed_size(int64_t, int64_t, DType) { return 0; }
void pack(const PackArgs&) { fail(Fault::bug, "the GPU's kernels do not pack"); }

void matmul(const MatmulArgs& args) {
  if (args.b.dtype == DType::bf16) {
    product_of_bf16(args);
  } else {
    const int64_t a = args.a.stride, b = args.b.stride;
    product({.a = vector(args.a),
             .b = vector(args.b),
             .c = out(args.c),
             .m = args.m,
             .n = args.n,
             .k = args.k,
             .a_m = args.a_transposed ? 1 : a,
             .a_k = args.a_transposed ? a : 1,
             .a_batch = (args.a_transposed ? args.k : args.m) * a,
             .b_k = args.b_transposed ? 1 : b,
             .b_n = args.b_transposed ? b : 1,
             .b_batch = (args.b_transposed ? args.n : args.k) * b,
             .bias = vector(args.bias),
             .accumulate = args.accumulate},
            args.batch);
  }
  if (args.activation != Activation::none)
    activation({.activation = args.activation, .x = args.c, .y = args.c});
}

void matmul_small_m(const MatmulSmallMArgs& args) {
  matmul({.a = args.a,
          .b = args.b,
          .c = args.c,
          .m = args.c.rows,
          .n = args.c.cols,
          .k = args.b.cols,
          .b_transposed = true,
          .bias = args.bias,
          .activation = args.activation});
}

}  // namespace locus::kernel::cuda
