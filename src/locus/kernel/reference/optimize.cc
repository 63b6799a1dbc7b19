#include <cmath>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void adamw(const AdamWArgs& args) {
  const double b1 = static_cast<double>(args.beta1), b2 = static_cast<double>(args.beta2);
  const double rate = static_cast<double>(args.rate), step = static_cast<double>(args.step);
  each(args.gradient, [&](int64_t r, int64_t c) {
    const double g = static_cast<double>(args.scale) * at(args.gradient, r, c);
    const double m = b1 * at(args.first, r, c) + (1 - b1) * g;
    const double v = b2 * at(args.second, r, c) + (1 - b2) * g * g;
    const double move = (m / (1 - std::pow(b1, step))) /
                        (std::sqrt(v / (1 - std::pow(b2, step))) + static_cast<double>(args.eps));
    const double decayed = at(args.parameter, r, c) * (1 - rate * static_cast<double>(args.decay));
    put(args.first, r, c, m);
    put(args.second, r, c, v);
    put(args.parameter, r, c, decayed - rate * move);
  });
}

}  // namespace locus::kernel::reference
