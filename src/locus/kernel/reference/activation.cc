#include "locus/kernel/reference/activation.h"

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void activation(const ActivationArgs& args) {
  each(args.x, [&](int64_t r, int64_t c) { put(args.y, r, c, activate(args.activation, at(args.x, r, c))); });
}

void activation_backward(const ActivationBackwardArgs& args) {
  each(args.x, [&](int64_t r, int64_t c) {
    put(args.dx, r, c, at(args.dy, r, c) * activate_slope(args.activation, at(args.x, r, c)));
  });
}

void gated(const GatedArgs& args) {
  each(args.gate, [&](int64_t r, int64_t c) {
    put(args.y, r, c, activate(args.activation, at(args.gate, r, c)) * at(args.up, r, c));
  });
}

void gated_backward(const GatedBackwardArgs& args) {
  each(args.gate, [&](int64_t r, int64_t c) {
    const double gate = at(args.gate, r, c), up = at(args.up, r, c), dy = at(args.dy, r, c);
    put(args.dgate, r, c, dy * up * activate_slope(args.activation, gate));
    put(args.dup, r, c, dy * activate(args.activation, gate));
  });
}

}  // namespace locus::kernel::reference
