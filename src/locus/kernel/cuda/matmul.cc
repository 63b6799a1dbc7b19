#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

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
  constexpr int64_t kMostBlocks = 65535, kMostColumns = kMostBlocks * 64;
  for (int64_t first = 0; first < batch; first += kMostBlocks) {
    for (int64_t column = 0; column < whole.n; column += kMostColumns) {
      MatmulParams part = whole;
      part.n = smaller(whole.n - column, kMostColumns);
      part.a += first * whole.a_batch;
      part.b += (first * whole.b_batch + column * whole.b_n) * (whole.bf16 ? 2 : 4);
      part.c.data += first * whole.m * whole.c.stride + column;
      if (whole.bias != nullptr) part.bias += column;
      launch_product(part, smaller(batch - first, kMostBlocks));
    }
  }
}

bool is_bf16(ConstView b) {
  if (b.dtype == DType::bf16) return true;
  b.address<float>();  // fails for any other dtype
  return false;
}

void activate(Activation activation, View c) {
  if (activation != Activation::none) cuda::activation({.activation = activation, .x = c, .y = c});
}

}  // namespace

// The packed layout is row-major [k, n].
int64_t packed_size(int64_t k, int64_t n, DType) { return larger(k * n, 1); }

void pack(const PackArgs& args) {
  const ConstView& b = args.b;
  launch("pack/pack", {square_count(args.k, args.n, args.batch), 1, 1},
         PackParams{.b = {reinterpret_cast<const char*>(b.data), b.rows, b.cols, b.stride},
                    .packed = reinterpret_cast<char*>(args.packed.data),
                    .k = args.k,
                    .n = args.n,
                    .packed_stride = args.packed.stride,
                    .size = is_bf16(b) ? 2 : 4,
                    .transposed = args.transposed});
}

void matmul(const MatmulArgs& args) {
  const int64_t stride = args.a.stride;
  product({.a = vector(args.a),
           .b = reinterpret_cast<const char*>(args.packed.data),
           .c = out(args.c),
           .m = args.m,
           .n = args.n,
           .k = args.k,
           .a_m = args.a_transposed ? 1 : stride,
           .a_k = args.a_transposed ? stride : 1,
           .a_batch = (args.a_transposed ? args.k : args.m) * stride,
           .b_k = args.n,
           .b_n = 1,
           .b_batch = args.packed.stride,
           .bias = vector(args.bias),
           .accumulate = args.accumulate,
           .bf16 = is_bf16(args.packed)},
          args.batch);
  activate(args.activation, args.c);
}

void matmul_small_m(const MatmulSmallMArgs& args) {
  product({.a = vector(args.a),
           .b = reinterpret_cast<const char*>(args.b.data),
           .c = out(args.c),
           .m = args.c.rows,
           .n = args.c.cols,
           .k = args.b.cols,
           .a_m = args.a.stride,
           .a_k = 1,
           .b_k = 1,
           .b_n = args.b.stride,
           .bias = vector(args.bias),
           .bf16 = is_bf16(args.b)},
          1);
  activate(args.activation, args.c);
}

}  // namespace locus::kernel::cuda
