// The embedding of a model: rows of up to three tables, their norm, and dropout.
#include "locus/kernel/cuda/row.cuh"

namespace locus::kernel::cuda {
namespace {

// x += scale times columns c to c + count - 1 of the row of token n, where the table has them.
__device__ void add_looked_up(const EmbedSource& from, int64_t n, int64_t c, int count, float scale,
                              float (&x)[8]) {
  if (from.table.data == nullptr) return;
  const int64_t id = from.ids[n];
  float values[8];
  if (c % 8 == 0 && c >= 0 && c + count <= from.table.cols) {
    load(from.table, id, c, count, values);
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const bool inside = i < count && c + i >= 0 && c + i < from.table.cols;
      values[i] = inside ? number_at(from.table, id, c + i) : 0;
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] += scale * values[i];
}

__device__ void read_sum(const EmbedParams& p, int64_t n, int64_t c, int count, float (&x)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = 0;
  add_looked_up(p.tokens, n, c, count, p.token_scale, x);
  add_looked_up(p.positions, n, c - p.position_column, count, 1, x);
  add_looked_up(p.segments, n, c, count, 1, x);
}

__device__ void read_dropped(const EmbedBackwardParams& p, int64_t n, int64_t c, int count, float (&x)[8]) {
  load(p.dy, n, c, count, x);
  drop(p.forward.dropout, static_cast<uint64_t>(n * p.dx.cols + c), x);
}

template <int GROUP, int EIGHTS>
__device__ void embed_rows(const EmbedParams& p) {
  const int64_t n = int64_t{blockIdx.x} * (kThreads / GROUP) + threadIdx.x / GROUP, C = p.y.cols;
  if (n >= p.y.rows) return;
  const auto read = [&](int64_t c, int count, float(&x)[8]) { read_sum(p, n, c, count, x); };
  Row<GROUP, EIGHTS> row(C, read);
  Statistics of_row = {0, 1};
  if (p.gamma != nullptr) of_row = statistics(row, p.rms, p.eps, read);
  row.each(read, [&](int64_t c, int count, float(&x)[8], int) {
    if (p.gamma != nullptr) normalize(of_row, p.gamma, p.beta, c, count, x);
    drop(p.dropout, static_cast<uint64_t>(n * C + c), x);
    store(p.y, n, c, count, x);
  });
  if (threadIdx.x % GROUP == 0 && p.mean != nullptr) p.mean[n] = of_row.mean;
  if (threadIdx.x % GROUP == 0 && p.rstd != nullptr) p.rstd[n] = of_row.rstd;
}

template <int GROUP, int EIGHTS>
__device__ void embed_rows_backward(const EmbedBackwardParams& p) {
  const EmbedParams& f = p.forward;
  rows_backward<GROUP, EIGHTS>(
      {p.dx.rows, p.dx.cols, f.gamma, f.mean, f.rstd, f.rms, p.dx, p.parts, p.grain, p.part_count},
      [&](int64_t n, int64_t c, int count, float(&x)[8]) { read_sum(f, n, c, count, x); },
      [&](int64_t n, int64_t c, int count, float(&x)[8]) { read_dropped(p, n, c, count, x); });
}

}  // namespace

LOCUS_KERNEL locus_embed_narrow(const EmbedParams p) { embed_rows<32, kNarrowEights>(p); }
LOCUS_KERNEL locus_embed_wide(const EmbedParams p) { embed_rows<kThreads, 4>(p); }
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    locus_embed_backward_narrow(const EmbedBackwardParams p) {
  embed_rows_backward<32, kNarrowEights>(p);
}
LOCUS_KERNEL locus_embed_backward_wide(const EmbedBackwardParams p) { embed_rows_backward<kThreads, 2>(p); }

// Without a norm.
LOCUS_KERNEL locus_embed_backward_dropout(const EmbedBackwardParams p) {
  each_eight(p.dx.rows, p.dx.cols, [&](int64_t n, int64_t c, int count) {
    float x[8];
    read_dropped(p, n, c, count, x);
    store(p.dx, n, c, count, x);
  });
}

LOCUS_KERNEL locus_embed_gains(const EmbedBackwardParams p) {
  add_parts(p.parts, 0, p.part_count, p.dx.cols, p.dgamma);
  add_parts(p.parts, p.part_count, p.part_count, p.dx.cols, p.dbeta);
}

}  // namespace locus::kernel::cuda
