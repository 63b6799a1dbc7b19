#include <cmath>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void adamw(const AdamWArgs& args) {
  const double b1 = static_cast<double>(args.beta1), b2 = static_cast<double>(args.beta2);
  const double rate = static_cast<double>(args.rate);
  for (const AdamWParameter& one : args.list) {
    const double step = static_cast<double>(one.step), kept = 1 - rate * static_cast<double>(one.decay);
    each(one.gradient, [&](int64_t r, int64_t c) {
      const double g = static_cast<double>(args.scale) * at(one.gradient, r, c);
      const double m = b1 * at(one.first, r, c) + (1 - b1) * g;
      const double v = b2 * at(one.second, r, c) + (1 - b2) * g * g;
      const double move = (m / (1 - std::pow(b1, step))) /
                          (std::sqrt(v / (1 - std::pow(b2, step))) + static_cast<double>(args.eps));
      put(one.first, r, c, m);
      put(one.second, r, c, v);
      put(one.parameter, r, c, at(one.parameter, r, c) * kept - rate * move);
    });
  }
}

}  // namespace locus::kernel::reference
