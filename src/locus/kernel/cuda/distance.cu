// Score terms over distances and over pairs, with arithmetic in double; see kernel/distance.h and
// kernel/rows.h for the formulas. A block owns its sums and adds them in a fixed order.
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {
namespace {

constexpr double kLeastRate = 0.01, kLargestPower = 2, kQuotientEps = 1e-6;  // of kernel/distance.h

struct Decay {
  double value, by_r1, by_r2;
};
__device__ Decay decay(const DistanceDecayParams& p, int64_t h, int64_t s) {
  const double a = fmax(double{p.r1[h]}, kLeastRate), b = fmax(double{p.r2[h]}, kLeastRate);
  const int64_t d = p.least + s;
  const auto n = static_cast<double>(d < 0 ? -d : d);
  if (!p.power) return {-a * log1p(b * n), -log1p(b * n), -a * n / (1 + b * n)};
  if (n == 0) return {0, 0, 0};
  const double raised = pow(n, fmin(b, kLargestPower));
  return {-a * raised, -raised, -a * raised * log(n)};
}

struct Quotient {
  double value, by_c, by_multiplier;
};
__device__ Quotient quotient(const PairQuotientParams& p, double distance, double position) {
  const double c = p.c[0], size = fabs(c), multiplier = p.multiplier[0];
  const double level = fabs(multiplier * p.threshold), reach = fmax(position, level);
  const double top = log1p(size * distance), bottom = log1p(size * reach) + kQuotientEps;
  const double sign = c < 0 ? -1 : 1, by_bottom = -top / (bottom * bottom);
  const double top_by_c = sign * distance / (size * distance + 1);
  const double bottom_by_c = sign * reach / (size * reach + 1);
  const double reach_by_multiplier = level > position ? (multiplier < 0 ? -p.threshold : p.threshold) : 0;
  return {top / bottom, top_by_c / bottom + by_bottom * bottom_by_c,
          by_bottom * size / (size * reach + 1) * reach_by_multiplier};
}

// Calls f(pair, quotient) for the pairs of query i, of sequence b, that this thread has. `first` is the
// number of pairs before them.
template <class F>
__device__ void each_pair(const PairQuotientParams& p, int64_t b, int64_t i, int64_t first, F f) {
  const double position = p.query_positions[i];
  const int64_t keys = p.key_starts[b + 1] - p.key_starts[b];
  for (int64_t j = threadIdx.x; j < keys; j += kThreads) {
    f(first + j, quotient(p, fabs(position - p.key_positions[p.key_starts[b] + j]), position));
  }
}

}  // namespace

LOCUS_KERNEL locus_gather_columns(const GatherColumnsParams p) {
  each(p.columns.rows, p.columns.cols,
       [&](int64_t c, int64_t n) { p.columns.at(c, n) = p.table.at(p.ids[n], c); });
}

// A block for an element of the table.
LOCUS_KERNEL locus_gather_columns_backward(const GatherColumnsParams p) {
  const int64_t v = blockIdx.x, c = blockIdx.y;
  double sum = 0;
  for (int64_t n = threadIdx.x; n < p.dcolumns.cols; n += kThreads) {
    if (p.ids[n] == v) sum += p.dcolumns.at(c, n);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) p.dtable.at(v, c) = static_cast<float>(sum);
}

LOCUS_KERNEL locus_distance_decay(const DistanceDecayParams p) {
  each(p.out.rows, p.out.cols,
       [&](int64_t h, int64_t s) { p.out.at(h, s) = static_cast<float>(decay(p, h, s).value); });
}

// A block for a head.
LOCUS_KERNEL locus_distance_decay_backward(const DistanceDecayParams p) {
  const int64_t h = blockIdx.x;
  double dr1 = 0, dr2 = 0;
  for (int64_t s = threadIdx.x; s < p.dout.cols; s += kThreads) {
    const Decay slope = decay(p, h, s);
    dr1 += p.dout.at(h, s) * slope.by_r1;
    dr2 += p.dout.at(h, s) * slope.by_r2;
  }
  dr1 = block_sum(dr1);
  dr2 = block_sum(dr2);
  if (threadIdx.x != 0) return;
  p.dr1[h] = static_cast<float>(dr1);
  p.dr2[h] = static_cast<float>(dr2);
}

// A block for a query.
LOCUS_KERNEL locus_pair_quotient(const PairQuotientParams p) {
  const int64_t i = blockIdx.x;
  int64_t b = 0, first = 0;
  for (; p.query_starts[b + 1] <= i; ++b) {
    first += int64_t{p.query_starts[b + 1] - p.query_starts[b]} * (p.key_starts[b + 1] - p.key_starts[b]);
  }
  first += (i - p.query_starts[b]) * (p.key_starts[b + 1] - p.key_starts[b]);
  each_pair(p, b, i, first,
            [&](int64_t pair, const Quotient& of) { p.out.at(pair, 0) = static_cast<float>(of.value); });
}

LOCUS_KERNEL locus_pair_quotient_backward(const PairQuotientParams p) {
  double dc = 0, dmultiplier = 0;
  int64_t first = 0;
  for (int64_t b = 0; b < p.sequences; ++b) {
    for (int64_t i = p.query_starts[b]; i < p.query_starts[b + 1]; ++i) {
      each_pair(p, b, i, first, [&](int64_t pair, const Quotient& slope) {
        dc += p.dout.at(pair, 0) * slope.by_c;
        dmultiplier += p.dout.at(pair, 0) * slope.by_multiplier;
      });
      first += p.key_starts[b + 1] - p.key_starts[b];
    }
  }
  dc = block_sum(dc);
  dmultiplier = block_sum(dmultiplier);
  if (threadIdx.x != 0) return;
  p.dc[0] = static_cast<float>(dc);
  p.dmultiplier[0] = static_cast<float>(dmultiplier);
}

}  // namespace locus::kernel::cuda
