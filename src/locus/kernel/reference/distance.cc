#include "locus/kernel/distance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {
namespace {

// For one head and distance: the term, and its derivatives by r1 and r2.
struct Decay {
  double value, by_r1, by_r2;
};
Decay decay(const DistanceDecayArgs& args, int64_t h, int64_t s) {
  const double a = std::max(at(args.r1, h), kLeastRate), b = std::max(at(args.r2, h), kLeastRate);
  const auto n = static_cast<double>(std::abs(args.least + s));
  if (!args.power) return {-a * std::log1p(b * n), -std::log1p(b * n), -a * n / (1 + b * n)};
  if (n == 0) return {0, 0, 0};
  const double raised = std::pow(n, std::min(b, kLargestPower));
  return {-a * raised, -raised, -a * raised * std::log(n)};
}

// For one pair: the term, and its derivatives by c and the multiplier.
struct Quotient {
  double value, by_c, by_multiplier;
};
Quotient quotient(const PairQuotientArgs& args, double distance, double position) {
  const double c = at(args.c, 0), multiplier = at(args.multiplier, 0), threshold = args.threshold;
  const double level = std::abs(multiplier * threshold), reach = std::max(position, level);
  const double top = std::log1p(std::abs(c * distance)),
               bottom = std::log1p(std::abs(c * reach)) + kQuotientEps;
  // d ln(|c| x + 1) by c and by x, x >= 0
  const double sign = c < 0 ? -1 : 1;
  const auto by_c = [&](double x) { return sign * x / (std::abs(c) * x + 1); };
  const double bottom_by_reach = std::abs(c) / (std::abs(c) * reach + 1);
  const double reach_by_multiplier = level > position ? (multiplier < 0 ? -threshold : threshold) : 0;
  const double by_bottom = -top / (bottom * bottom);
  return {top / bottom, by_c(distance) / bottom + by_bottom * by_c(reach),
          by_bottom * bottom_by_reach * reach_by_multiplier};
}

// Calls f(p, quotient) for every pair p, in order.
template <class F>
void each_pair(const PairQuotientArgs& args, F f) {
  const SequenceViews& s = args.sequences;
  const int32_t *query_starts = s.query_starts.as<int32_t>(), *key_starts = s.key_starts.as<int32_t>();
  const int32_t *queries = s.query_positions.as<int32_t>(), *keys = s.key_positions.as<int32_t>();
  int64_t p = 0;
  for (int64_t b = 0; b + 1 < s.query_starts.numel(); ++b) {
    for (int64_t i = query_starts[b]; i < query_starts[b + 1]; ++i) {
      for (int64_t j = key_starts[b]; j < key_starts[b + 1]; ++j) {
        const auto position = static_cast<double>(queries[i]);
        f(p++, quotient(args, std::abs(position - keys[j]), position));
      }
    }
  }
}

}  // namespace

void distance_decay(const DistanceDecayArgs& args) {
  each(args.out, [&](int64_t h, int64_t s) { put(args.out, h, s, decay(args, h, s).value); });
}

void distance_decay_backward(const DistanceDecayBackwardArgs& args) {
  for (int64_t h = 0; h < args.dout.rows; ++h) {
    double dr1 = 0, dr2 = 0;
    for (int64_t s = 0; s < args.dout.cols; ++s) {
      const Decay slope = decay(args.forward, h, s);
      dr1 += at(args.dout, h, s) * slope.by_r1;
      dr2 += at(args.dout, h, s) * slope.by_r2;
    }
    put(args.dr1, h, dr1);
    put(args.dr2, h, dr2);
  }
}

void pair_quotient(const PairQuotientArgs& args) {
  each_pair(args, [&](int64_t p, const Quotient& of) { put(args.out, p, 0, of.value); });
}

void pair_quotient_backward(const PairQuotientBackwardArgs& args) {
  double dc = 0, dmultiplier = 0;
  each_pair(args.forward, [&](int64_t p, const Quotient& slope) {
    dc += at(args.dout, p, 0) * slope.by_c;
    dmultiplier += at(args.dout, p, 0) * slope.by_multiplier;
  });
  put(args.dc, 0, dc);
  put(args.dmultiplier, 0, dmultiplier);
}

}  // namespace locus::kernel::reference
