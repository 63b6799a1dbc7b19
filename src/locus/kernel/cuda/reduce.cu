// Sums of columns, of all elements, and of rows with the same id. All in a fixed order, without atomics.
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {

// Part blockIdx.y of every column.
LOCUS_KERNEL locus_column_parts(const ColumnSumParams p) {
  const int64_t c = int64_t{blockIdx.x} * kThreads + threadIdx.x, part = blockIdx.y;
  if (c >= p.x.cols) return;
  float sum = 0;
  const int64_t last = smaller(p.x.rows, (part + 1) * p.grain);
  for (int64_t r = part * p.grain; r < last; ++r) sum += p.x.at(r, c);
  p.parts.at(part, c) = sum;
}

// out = sum of the parts in order; of no parts, zeros.
LOCUS_KERNEL locus_add_parts(const ColumnSumParams p) {
  each(1, p.x.cols, [&](int64_t, int64_t c) {
    float sum = 0;
    for (int64_t part = 0; part < p.parts.rows; ++part) sum += p.parts.at(part, c);
    p.out[c] = sum;
  });
}

LOCUS_KERNEL locus_sum_parts(const SumParams p) {
  double sum = 0;
  each(p.x.rows, p.x.cols, [&](int64_t r, int64_t c) {
    const double x = p.x.at(r, c);
    sum += p.squared ? x * x : x;
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

LOCUS_KERNEL locus_spread(const SpreadParams p) {
  const auto value = static_cast<float>(p.x[0] / p.divisor);
  each(p.out.rows, p.out.cols, [&](int64_t r, int64_t c) { p.out.at(r, c) = value; });
}

// The block of row n adds all rows with its id to their row of the table, if no row before n has this id.
// blockIdx.y counts pieces of kThreads columns.
LOCUS_KERNEL locus_scatter_add(const ScatterAddParams p) {
  __shared__ int64_t found[kThreads];
  __shared__ int counts[kThreads / 32];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int64_t n = blockIdx.x, c = int64_t{blockIdx.y} * kThreads + thread;
  const int32_t id = p.ids[n];
  if (id == p.skip) return;
  for (int64_t first = 0; first < n; first += kThreads) {
    if (__syncthreads_or(first + thread < n && p.ids[first + thread] == id)) return;
  }
  const bool own = c < p.table.cols;
  float sum = own ? p.table.at(id, c) : 0;
  for (int64_t first = n; first < p.rows.rows; first += kThreads) {
    const int64_t row = first + thread;
    const bool hit = row < p.rows.rows && p.ids[row] == id;
    const unsigned hits = __ballot_sync(0xffffffffu, hit);
    if (lane == 0) counts[warp] = __popc(hits);
    __syncthreads();
    int place = __popc(hits & ((1u << lane) - 1)), total = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
      if (w < warp) place += counts[w];
      total += counts[w];
    }
    if (hit) found[place] = row;
    __syncthreads();
    if (own) {
#pragma unroll 4
      for (int i = 0; i < total; ++i) sum += p.factor * p.rows.at(found[i], c);
    }
    __syncthreads();
  }
  if (own) p.table.at(id, c) = sum;
}

}  // namespace locus::kernel::cuda
