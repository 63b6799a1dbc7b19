// Layer norm and RMS norm. Narrow rows have a warp each, wide ones a block.
#include "locus/kernel/cuda/row.cuh"

namespace locus::kernel::cuda {
namespace {

template <int GROUP, int EIGHTS>
__device__ void norm_rows(const NormParams& p) {
  const int64_t n = int64_t{blockIdx.x} * (kThreads / GROUP) + threadIdx.x / GROUP;
  if (n >= p.x.rows) return;
  const auto read = [&](int64_t c, int count, float(&x)[8]) { load(p.x, n, c, count, x); };
  Row<GROUP, EIGHTS> row(p.x.cols, read);
  const Statistics of_row = statistics(row, p.rms, p.eps, read);
  row.each(read, [&](int64_t c, int count, float(&x)[8], int) {
    normalize(of_row, p.gamma, p.beta, c, count, x);
    store(p.y, n, c, count, x);
  });
  if (threadIdx.x % GROUP == 0 && p.mean != nullptr) p.mean[n] = of_row.mean;
  if (threadIdx.x % GROUP == 0 && p.rstd != nullptr) p.rstd[n] = of_row.rstd;
}

template <int GROUP, int EIGHTS>
__device__ void norm_rows_backward(const NormBackwardParams& p) {
  rows_backward<GROUP, EIGHTS>(
      {p.x.rows, p.x.cols, p.gamma, p.mean, p.rstd, p.rms, p.dx, p.parts, p.grain, p.part_count},
      [&](int64_t n, int64_t c, int count, float(&x)[8]) { load(p.x, n, c, count, x); },
      [&](int64_t n, int64_t c, int count, float(&x)[8]) { load(p.dy, n, c, count, x); });
}

}  // namespace

LOCUS_KERNEL locus_norm_narrow(const NormParams p) { norm_rows<32, kNarrowEights>(p); }
LOCUS_KERNEL locus_norm_wide(const NormParams p) { norm_rows<kThreads, 4>(p); }
// At most 128 registers, so that a multiprocessor has two blocks.
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    locus_norm_backward_narrow(const NormBackwardParams p) {
  norm_rows_backward<32, kNarrowEights>(p);
}
LOCUS_KERNEL locus_norm_backward_wide(const NormBackwardParams p) { norm_rows_backward<kThreads, 2>(p); }

LOCUS_KERNEL locus_norm_gains(const NormBackwardParams p) {
  add_parts(p.parts, 0, p.part_count, p.x.cols, p.dgamma);
  add_parts(p.parts, p.part_count, p.part_count, p.x.cols, p.dbeta);
}

}  // namespace locus::kernel::cuda
