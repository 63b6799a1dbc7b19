// A row of numbers in the registers of a group of threads, a warp or a block. A thread has every GROUP-th
// eight of the row. What has no room is read again each time.
#pragma once

#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {

template <int GROUP, class T>
__device__ T group_sum(T x) {
  if constexpr (GROUP == 32) return warp_sum(x);
  return block_sum(x);
}

// EIGHTS eights of this thread.
template <int GROUP, int EIGHTS>
struct Row {
  static constexpr int64_t kNext = int64_t{8} * GROUP * EIGHTS;  // the columns that registers have room for
  int64_t cols;
  float kept[EIGHTS][8];

  __device__ static int64_t first() { return int64_t{8} * (threadIdx.x % GROUP); }
  __device__ static int count(int64_t cols, int64_t c) { return static_cast<int>(smaller(8, cols - c)); }

  // read(c, count, x) loads columns c to c + count - 1.
  template <class Read>
  __device__ Row(int64_t columns, Read read) : cols(columns) {
#pragma unroll
    for (int e = 0; e < EIGHTS; ++e) {
      const int64_t c = first() + int64_t{8} * GROUP * e;
      if (c < cols) read(c, count(cols, c), kept[e]);
    }
  }
  // Calls f(c, count, x, e) for all eights of this thread; e is -1 if registers have no room for this one.
  template <class Read, class F>
  __device__ void each(Read read, F f) {
#pragma unroll
    for (int e = 0; e < EIGHTS; ++e) {
      const int64_t c = first() + int64_t{8} * GROUP * e;
      if (c < cols) f(c, count(cols, c), kept[e], e);
    }
    if constexpr (GROUP == kThreads) {  // a warp has rows that fit
      for (int64_t c = kNext + first(); c < cols; c += 8 * GROUP) {
        float again[8];
        read(c, count(cols, c), again);
        f(c, count(cols, c), again, -1);
      }
    }
  }
};

struct Statistics {
  float mean, rstd;
};
template <int GROUP, int EIGHTS, class Read>
__device__ Statistics statistics(Row<GROUP, EIGHTS>& row, bool rms, float eps, Read read) {
  const auto cols = static_cast<float>(row.cols);
  float mean = 0;
  if (!rms) {
    float sum = 0;
    row.each(read, [&](int64_t, int count, const float(&x)[8], int) {
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += i < count ? x[i] : 0;
    });
    mean = group_sum<GROUP>(sum) / cols;
  }
  float square = 0;
  row.each(read, [&](int64_t, int count, const float(&x)[8], int) {
#pragma unroll
    for (int i = 0; i < 8; ++i) square += i < count ? (x[i] - mean) * (x[i] - mean) : 0;
  });
  return {mean, 1 / sqrtf(group_sum<GROUP>(square) / cols + eps)};
}

// x = (x - mean) rstd gamma + beta
__device__ inline void normalize(const Statistics& of_row, const float* gamma, const float* beta, int64_t c,
                                 int count, float (&x)[8]) {
  float gain[8], shift[8];
  load(gamma, c, count, gain);
  load(beta, c, count, shift);
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = (x[i] - of_row.mean) * of_row.rstd * gain[i] + shift[i];
}

// The gradients of norms of rows: of row n, with u = (x - mean) rstd and g = dy gamma,
//   dx = rstd (g - mean(g) - u mean(g u))
// and parts of dgamma = sum dy u and dbeta = sum dy. A block has `grain` rows: part blockIdx.x.
struct RowsBackward {
  int64_t rows, cols;
  const float *gamma, *mean, *rstd;
  bool rms;
  NumbersOut dx;
  Out parts;
  int64_t grain, part_count;
};

// Adds what the groups of a block have of columns c to c + count - 1, in order, into a part.
template <int GROUP>
__device__ void add_groups(const Out& parts, int64_t part, int64_t c, int count, const float (&x)[8]) {
  if constexpr (GROUP == kThreads) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i < count) parts.at(part, c + i) = x[i];
    }
  } else {
    __shared__ float of_groups[kThreads / GROUP][8 * GROUP];
    const int group = static_cast<int>(threadIdx.x) / GROUP, lane = static_cast<int>(threadIdx.x) % GROUP;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) of_groups[group][i * GROUP + lane] = x[i];
    __syncthreads();
    if (group < 8 && group < count) {  // group i adds element i
      float sum = 0;
      for (int g = 0; g < kThreads / GROUP; ++g) sum += of_groups[g][group * GROUP + lane];
      parts.at(part, c + group) = sum;
    }
  }
}

// read_x(n, c, count, x) and read_dy load eights of row n.
template <int GROUP, int EIGHTS, class ReadX, class ReadDy>
__device__ void rows_backward(const RowsBackward& p, ReadX read_x, ReadDy read_dy) {
  static_assert(kThreads / GROUP == 1 || kThreads / GROUP == 8);
  constexpr int kGroups = kThreads / GROUP;
  const int64_t part = blockIdx.x, last = smaller(p.rows, (part + 1) * p.grain);
  const bool gains = p.parts.data != nullptr;
  float dgamma[EIGHTS][8] = {}, dbeta[EIGHTS][8] = {};
  for (int64_t n = part * p.grain + threadIdx.x / GROUP; n < last; n += kGroups) {
    const float mean = p.rms ? 0 : p.mean[n], rstd = p.rstd[n], cols = static_cast<float>(p.cols);
    const auto of_x = [&](int64_t c, int count, float(&x)[8]) { read_x(n, c, count, x); };
    const auto of_dy = [&](int64_t c, int count, float(&x)[8]) { read_dy(n, c, count, x); };
    Row<GROUP, EIGHTS> x(p.cols, of_x), dy(p.cols, of_dy);
    // Calls f(c, count, u, d, gain, e).
    const auto each_both = [&](auto f) {
      x.each(of_x, [&](int64_t c, int count, float(&of_row)[8], int e) {
        float u[8], d[8], gain[8];
        if (e >= 0) {
#pragma unroll
          for (int i = 0; i < 8; ++i) d[i] = dy.kept[e >= 0 ? e : 0][i];
        } else {
          of_dy(c, count, d);
        }
        load(p.gamma, c, count, gain);
#pragma unroll
        for (int i = 0; i < 8; ++i) u[i] = i < count ? (of_row[i] - mean) * rstd : 0;
        f(c, count, u, d, gain, e);
      });
    };
    float g_sum = 0, gu_sum = 0;
    each_both(
        [&](int64_t c, int count, const float(&u)[8], const float(&d)[8], const float(&gain)[8], int e) {
#pragma unroll
          for (int i = 0; i < 8; ++i) {
            const float g = d[i] * gain[i];
            g_sum += g;
            gu_sum += g * u[i];
          }
          if (!gains) return;
          if (e >= 0) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
              dgamma[e >= 0 ? e : 0][i] += d[i] * u[i];
              dbeta[e >= 0 ? e : 0][i] += d[i];
            }
          } else {  // a group is a block here, and a column always has the same thread
            const bool fresh = n == part * p.grain;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
              if (i >= count) break;
              float &of_gamma = p.parts.at(part, c + i), &of_beta = p.parts.at(p.part_count + part, c + i);
              of_gamma = (fresh ? 0 : of_gamma) + d[i] * u[i];
              of_beta = (fresh ? 0 : of_beta) + d[i];
            }
          }
        });
    const float g_mean = p.rms ? 0 : group_sum<GROUP>(g_sum) / cols,
                gu_mean = group_sum<GROUP>(gu_sum) / cols;
    each_both([&](int64_t c, int count, const float(&u)[8], const float(&d)[8], const float(&gain)[8], int) {
      float dx[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) dx[i] = rstd * (d[i] * gain[i] - g_mean - u[i] * gu_mean);
      store(p.dx, n, c, count, dx);
    });
  }
  if (!gains) return;
#pragma unroll
  for (int e = 0; e < EIGHTS; ++e) {
    // All threads take part in every sum.
    const int64_t c = Row<GROUP, EIGHTS>::first() + int64_t{8} * GROUP * e;
    const int count = c < p.cols ? Row<GROUP, EIGHTS>::count(p.cols, c) : 0;
    add_groups<GROUP>(p.parts, part, c, count, dgamma[e]);
    add_groups<GROUP>(p.parts, p.part_count + part, c, count, dbeta[e]);
  }
}

// Sums of the parts of 32 columns, in an order that depends on their number alone.
__device__ inline void add_parts(const Out& parts, int64_t first, int64_t count, int64_t cols, float* out) {
  __shared__ float sums[kThreads / 32][32];
  const int64_t lane = threadIdx.x % 32, own = threadIdx.x / 32, c = int64_t{blockIdx.x} * 32 + lane;
  float sum = 0;
  if (c < cols) {
#pragma unroll 8
    for (int64_t part = own; part < count; part += kThreads / 32) sum += parts.at(first + part, c);
  }
  __syncthreads();
  sums[own][lane] = sum;
  __syncthreads();
  if (own != 0 || c >= cols || out == nullptr) return;
  for (int i = 1; i < kThreads / 32; ++i) sum += sums[i][lane];
  out[c] = sum;
}

}  // namespace locus::kernel::cuda
