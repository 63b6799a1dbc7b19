#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {
namespace {

double weight(ConstView weights, int64_t c) { return weights ? at(weights, c) : 1; }

}  // namespace

void cross_entropy(const CrossEntropyArgs& args) {
  const int64_t V = args.logits.cols;
  const double s = static_cast<double>(args.smoothing);
  for (int64_t n = 0; n < args.logits.rows; ++n) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0, smooth = 0;
    for (int64_t c = 0; c < V; ++c) largest = std::max(largest, at(args.logits, n, c));
    for (int64_t c = 0; c < V; ++c) sum += std::exp(at(args.logits, n, c) - largest);
    const double lse = largest + std::log(sum);
    put(args.lse, n, lse);
    const int32_t target = args.targets.as<int32_t>()[n];
    if (target == kIgnoredTarget) {
      put(args.loss, n, 0);
      continue;
    }
    // Without smoothing a logit of -inf does not affect the loss, but 0 times infinity would be NaN.
    for (int64_t c = 0; s != 0 && c < V; ++c)
      smooth += weight(args.weights, c) * (lse - at(args.logits, n, c));
    const double picked = weight(args.weights, target) * (lse - at(args.logits, n, target));
    put(args.loss, n, (1 - s) * picked + s / static_cast<double>(V) * smooth);
  }
}

void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const int64_t V = args.logits.cols;
  const double s = static_cast<double>(args.smoothing);
  const double dloss = at(args.dloss, 0) / args.divisor;
  double weight_sum = 0;
  for (int64_t c = 0; c < V; ++c) weight_sum += weight(args.weights, c);
  for (int64_t n = 0; n < args.logits.rows; ++n) {
    const int32_t target = args.targets.as<int32_t>()[n];
    for (int64_t c = 0; c < V; ++c) {
      if (target == kIgnoredTarget) {
        put(args.dlogits, n, c, 0);
        continue;
      }
      const double p = std::exp(at(args.logits, n, c) - at(args.lse, n));
      const double picked = weight(args.weights, target) * (p - (c == target ? 1 : 0));
      const double smooth = p * weight_sum - weight(args.weights, c);
      put(args.dlogits, n, c, dloss * ((1 - s) * picked + s / static_cast<double>(V) * smooth));
    }
  }
}

}  // namespace locus::kernel::reference
