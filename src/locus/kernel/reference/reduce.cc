#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void sum(const SumArgs& args) {
  double total = 0;
  each(args.x, [&](int64_t r, int64_t c) { total += at(args.x, r, c); });
  put(args.out, 0, total / args.divisor);
}

void squared_norm(const SumArgs& args) {
  double total = 0;
  each(args.x, [&](int64_t r, int64_t c) { total += at(args.x, r, c) * at(args.x, r, c); });
  put(args.out, 0, total / args.divisor);
}

void spread(const SpreadArgs& args) {
  const double value = at(args.x, 0) / args.divisor;
  each(args.out, [&](int64_t r, int64_t c) { put(args.out, r, c, value); });
}

int64_t partial_rows(int64_t) { return 1; }
int64_t embed_workspace(int64_t) { return 1; }

}  // namespace locus::kernel::reference
