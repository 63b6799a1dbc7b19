// Adds rows to the rows of a table that their ids choose, in ascending order of the rows, without atomics.
#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {
namespace {

constexpr int kIds = 4 * kThreads;  // looked at together

}  // namespace

// Block x has the ids that are x modulo the number of blocks; blockIdx.y counts pieces of 8 kThreads columns.
// It looks for its ids, and adds the rows it found one after another.
LOCUS_KERNEL locus_scatter_add(const ScatterAddParams p) {
  __shared__ int32_t found[kIds];
  __shared__ int counts[kIds / 32];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int64_t c = (int64_t{blockIdx.y} * kThreads + thread) * 8;
  const int count = c < p.table.cols ? static_cast<int>(smaller(8, p.table.cols - c)) : 0;
  const auto blocks = gridDim.x, own = blockIdx.x;
  const NumbersOut table = {
      reinterpret_cast<char*>(p.table.data), p.table.rows, p.table.cols, p.table.stride, false, p.wide};
  float sum[8] = {};
  int32_t current = -1;  // the id whose sum this is
  for (int64_t first = 0; first < p.rows.rows; first += kIds) {
    unsigned hits[kIds / kThreads];
#pragma unroll
    for (int i = 0; i < kIds / kThreads; ++i) {
      const int64_t row = first + i * kThreads + thread;
      const int32_t id = row < p.rows.rows ? p.ids[row] : -1;
      hits[i] =
          __ballot_sync(0xffffffffu, id >= 0 && id != p.skip && static_cast<unsigned>(id) % blocks == own);
      if (lane == 0) counts[i * (kThreads / 32) + warp] = __popc(hits[i]);
    }
    __syncthreads();
    int total = 0;
    for (int w = 0; w < kIds / 32; ++w) {
      const int i = w / (kThreads / 32);
      if (w % (kThreads / 32) == warp) {
        unsigned mine = 0;
#pragma unroll
        for (int j = 0; j < kIds / kThreads; ++j) mine = i == j ? hits[j] : mine;
        if (mine >> lane & 1u)
          found[total + __popc(mine & ((1u << lane) - 1))] = static_cast<int32_t>(i * kThreads + thread);
      }
      total += counts[w];
    }
    __syncthreads();
    if (count > 0) {
#pragma unroll 4
      for (int i = 0; i < total; ++i) {
        const int64_t row = first + found[i];
        const int32_t id = p.ids[row];
        float x[8];
        load(p.rows, row, c, count, x);
        if (id != current) {
          if (current >= 0) store(table, current, c, count, sum);
          load(table, id, c, count, sum);
          current = id;
        }
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[j] += p.factor * x[j];
      }
    }
    __syncthreads();
  }
  if (count > 0 && current >= 0) store(table, current, c, count, sum);
}

}  // namespace locus::kernel::cuda
