// Sums of columns and of all elements, in a fixed order, without atomics.
#include "locus/kernel/cuda/row.cuh"

namespace locus::kernel::cuda {

// Part blockIdx.y of 256 columns. A thread has eight of them and every eighth row.
LOCUS_KERNEL locus_column_parts(const ColumnSumParams p) {
  constexpr int kEights = 32, kRows = kThreads / kEights;
  __shared__ float of_rows[kRows][8 * kEights];
  const int lane = static_cast<int>(threadIdx.x) % kEights, own = static_cast<int>(threadIdx.x) / kEights;
  const int64_t c = (int64_t{blockIdx.x} * kEights + lane) * 8, part = blockIdx.y;
  const int64_t last = smaller(p.x.rows, (part + 1) * p.grain);
  const int count = c < p.x.cols ? static_cast<int>(smaller(8, p.x.cols - c)) : 0;
  float sums[8] = {};
  if (count > 0) {
#pragma unroll 4
    for (int64_t r = part * p.grain + own; r < last; r += kRows) {
      float x[8];
      load(p.x, r, c, count, x);
#pragma unroll
      for (int i = 0; i < 8; ++i) sums[i] += x[i];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) of_rows[own][i * kEights + lane] = sums[i];
  __syncthreads();
  if (own >= count) return;  // a thread adds one column of its eight
  float sum = 0;
  for (int r = 0; r < kRows; ++r) sum += of_rows[r][own * kEights + lane];
  p.parts.at(part, c + own) = sum;
}

// out = sum of the parts in order; of no parts, zeros.
LOCUS_KERNEL locus_add_parts(const ColumnSumParams p) {
  add_parts(p.parts, 0, p.parts.rows, p.x.cols, p.out);
}

LOCUS_KERNEL locus_sum_parts(const SumParams p) {
  double sum = 0;
  each_eight(p.x.rows, p.x.cols, [&](int64_t r, int64_t c, int count) {
    float values[8];
    load(p.x, r, c, count, values);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const double x = values[i];
      sum += p.squared ? x * x : x;
    }
  });
  sum = block_sum(sum);
  if (threadIdx.x == 0) p.parts[blockIdx.x] = sum;
}

// One block.
LOCUS_KERNEL locus_sum(const SumParams p) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < p.part_count; i += kThreads) sum += p.parts[i];
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  if (p.wide != nullptr) {
    p.wide[0] = sum / p.divisor;
  } else {
    p.out[0] = static_cast<float>(sum / p.divisor);
  }
}

}  // namespace locus::kernel::cuda
