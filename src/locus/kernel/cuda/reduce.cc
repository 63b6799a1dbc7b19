#include <array>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

// The number of parts depends on the number of elements only, and so do the bits.
double sum_of(ConstView x, bool squared) {
  constexpr int64_t kMostParts = 1024;
  const int64_t parts = smaller(divided_up(x.numel(), 4 * kThreads), kMostParts);
  auto* const numbers =
      static_cast<double*>(scratch(Scratch::sums, (kMostParts + 1) * int64_t{sizeof(double)}));
  SumParams params = {in(x), squared, numbers + 1, parts, numbers};
  flatten(params.x);
  launch("reduce/sum_parts", {parts, 1, 1}, params);
  launch("reduce/sum", {1, 1, 1}, params);
  double result = 0;
  locus::cuda::download(std::as_writable_bytes(std::span(&result, 1)),
                        reinterpret_cast<locus::cuda::Address>(numbers));
  return result;
}

}  // namespace

double sum(ConstView x) { return sum_of(x, false); }
double squared_norm(ConstView x) { return sum_of(x, true); }

void column_sum(const ColumnSumArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols, parts = partial_chunks(N);
  ColumnSumParams params = {in(args.x), vector(args.out), out(args.workspace), partial_grain(N)};
  params.parts.rows = parts;
  launch("reduce/column_parts", {divided_up(C, kThreads), parts, 1}, params);
  launch_elements("reduce/add_parts", C, params);
}

}  // namespace locus::kernel::cuda
