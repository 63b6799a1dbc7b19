#include <cmath>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void norm(const NormArgs& args) {
  const int64_t C = args.x.cols;
  for (int64_t n = 0; n < args.x.rows; ++n) {
    double mean = 0, square = 0;
    if (!args.rms) {
      for (int64_t c = 0; c < C; ++c) mean += at(args.x, n, c);
      mean /= static_cast<double>(C);
    }
    for (int64_t c = 0; c < C; ++c) {
      const double centered = at(args.x, n, c) - mean;
      square += centered * centered;
    }
    const double rstd = 1 / std::sqrt(square / static_cast<double>(C) + static_cast<double>(args.eps));
    for (int64_t c = 0; c < C; ++c) {
      const double unit = (at(args.x, n, c) - mean) * rstd;
      put(args.y, n, c, unit * at(args.gamma, c) + (args.beta ? at(args.beta, c) : 0));
    }
    if (args.mean) put(args.mean, n, mean);
    if (args.rstd) put(args.rstd, n, rstd);
  }
}

// With u = (x - mean) rstd and g = dy gamma:  dx = rstd (g - mean(g) - u mean(g u)); rms has no mean(g).
void norm_backward(const NormBackwardArgs& args) {
  const int64_t C = args.x.cols;
  for (int64_t c = 0; c < C; ++c) {
    if (args.dgamma) put(args.dgamma, c, 0);
    if (args.dbeta) put(args.dbeta, c, 0);
  }
  for (int64_t n = 0; n < args.x.rows; ++n) {
    const double mean = args.rms ? 0 : at(args.mean, n), rstd = at(args.rstd, n);
    double g_mean = 0, gu_mean = 0;
    for (int64_t c = 0; c < C; ++c) {
      const double unit = (at(args.x, n, c) - mean) * rstd, dy = at(args.dy, n, c);
      const double g = dy * at(args.gamma, c);
      g_mean += g / static_cast<double>(C);
      gu_mean += g * unit / static_cast<double>(C);
      if (args.dgamma) put(args.dgamma, c, at(args.dgamma, c) + dy * unit);
      if (args.dbeta) put(args.dbeta, c, at(args.dbeta, c) + dy);
    }
    if (args.rms) g_mean = 0;
    for (int64_t c = 0; c < C; ++c) {
      const double unit = (at(args.x, n, c) - mean) * rstd;
      put(args.dx, n, c, rstd * (at(args.dy, n, c) * at(args.gamma, c) - g_mean - unit * gu_mean));
    }
  }
}

}  // namespace locus::kernel::reference
