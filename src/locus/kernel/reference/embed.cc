#include <cmath>

#include "locus/base/random.h"
#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {
namespace {

// Element c of the sum x from one table, whose column 0 is added to column `start` of x; 0 outside of the
// table.
double looked_up(const EmbedTable& from, int64_t n, int64_t c, int64_t start) {
  if (!from.table || c < start || c - start >= from.table.cols) return 0;
  return at(from.table, from.ids.as<int32_t>()[n], c - start);
}

double sum_at(const EmbedArgs& args, int64_t n, int64_t c) {
  return static_cast<double>(args.token_scale) * looked_up(args.tokens, n, c, 0) +
         looked_up(args.positions, n, c, args.joined ? args.tokens.table.cols : 0) +
         looked_up(args.segments, n, c, 0);
}

// Dropout of the element with index `number`; it is its own backward pass.
double dropped(const EmbedArgs& args, int64_t number, double value) {
  if (args.dropout == 0) return value;
  const uint32_t bits = Random(args.seed, args.stream).half(static_cast<uint64_t>(number));
  return bits >= dropout_threshold(args.dropout) ? value / (1 - static_cast<double>(args.dropout)) : 0;
}

}  // namespace

void embed(const EmbedArgs& args) {
  const int64_t C = args.y.cols;
  for (int64_t n = 0; n < args.y.rows; ++n) {
    double mean = 0, square = 0, rstd = 1;
    if (args.gamma) {
      for (int64_t c = 0; c < C; ++c) mean += sum_at(args, n, c);
      mean = args.rms ? 0 : mean / static_cast<double>(C);
      for (int64_t c = 0; c < C; ++c) square += std::pow(sum_at(args, n, c) - mean, 2);
      rstd = 1 / std::sqrt(square / static_cast<double>(C) + static_cast<double>(args.eps));
    }
    for (int64_t c = 0; c < C; ++c) {
      double value = sum_at(args, n, c);
      if (args.gamma) {
        value = (value - mean) * rstd * at(args.gamma, c) + (args.beta ? at(args.beta, c) : 0);
      }
      put(args.y, n, c, dropped(args, n * C + c, value));
    }
    if (args.mean) put(args.mean, n, mean);
    if (args.rstd) put(args.rstd, n, rstd);
  }
}

// With u = (x - mean) rstd and g = dy gamma:  dx = rstd (g - mean(g) - u mean(g u)); rms has no mean(g).
void embed_backward(const EmbedBackwardArgs& args) {
  const EmbedArgs& forward = args.forward;
  const int64_t C = args.dx.cols;
  const auto dy = [&](int64_t n, int64_t c) { return dropped(forward, n * C + c, at(args.dy, n, c)); };
  for (int64_t c = 0; c < C; ++c) {
    if (args.dgamma) put(args.dgamma, c, 0);
    if (args.dbeta) put(args.dbeta, c, 0);
  }
  for (int64_t n = 0; n < args.dx.rows; ++n) {
    if (!forward.gamma) {
      for (int64_t c = 0; c < C; ++c) put(args.dx, n, c, dy(n, c));
      continue;
    }
    const double mean = forward.rms ? 0 : at(forward.mean, n), rstd = at(forward.rstd, n);
    const auto unit = [&](int64_t c) { return (sum_at(forward, n, c) - mean) * rstd; };
    double g_mean = 0, gu_mean = 0;
    for (int64_t c = 0; c < C; ++c) {
      const double g = dy(n, c) * at(forward.gamma, c);
      if (!forward.rms) g_mean += g / static_cast<double>(C);
      gu_mean += g * unit(c) / static_cast<double>(C);
      if (args.dgamma) put(args.dgamma, c, at(args.dgamma, c) + dy(n, c) * unit(c));
      if (args.dbeta) put(args.dbeta, c, at(args.dbeta, c) + dy(n, c));
    }
    for (int64_t c = 0; c < C; ++c) {
      put(args.dx, n, c, rstd * (dy(n, c) * at(forward.gamma, c) - g_mean - unit(c) * gu_mean));
    }
  }
}

}  // namespace locus::kernel::reference
