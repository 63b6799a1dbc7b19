#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

// The number of parts depends on the number of elements only, and so do the bits.
void sum_of(const SumArgs& args, bool squared) {
  constexpr int64_t kMostParts = 1024;
  const int64_t parts = smaller(divided_up(args.x.numel(), 8 * kThreads), kMostParts);
  const bool wide = args.out.dtype == DType::f64;
  const Scratch sums(Use::sums, kMostParts * int64_t{sizeof(double)});
  SumParams params = {numbers(args.x),
                      squared,
                      sums.as<double>(),
                      parts,
                      args.divisor,
                      wide ? nullptr : vector(args.out),
                      wide ? args.out.address<double>() : nullptr};
  flatten(params.x);
  launch("reduce/sum_parts", {parts, 1, 1}, params);
  launch("reduce/sum", {1, 1, 1}, params);
}

}  // namespace

void sum(const SumArgs& args) { sum_of(args, false); }
void squared_norm(const SumArgs& args) { sum_of(args, true); }

void spread(const SpreadArgs& args) {
  SpreadParams params = {vector(args.x), args.divisor, numbers(args.out)};
  flatten(params.out);
  launch_eights("elementwise/spread", params.out.rows, params.out.cols, params);
}

int64_t partial_rows(int64_t rows) { return part_count(rows); }

void column_sum(const ColumnSumArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols, parts = part_count(N);
  ColumnSumParams params = {numbers(args.x), vector(args.out), out(args.workspace), part_grain(N)};
  params.parts.rows = parts;
  launch("reduce/column_parts", {divided_up(C, kThreads), parts, 1}, params);
  launch("reduce/add_parts", {divided_up(C, 32), 1, 1}, params);
}

}  // namespace locus::kernel::cuda
