#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void gather(const GatherArgs& args) {
  each(args.out,
       [&](int64_t n, int64_t c) { put(args.out, n, c, at(args.table, args.ids.as<int32_t>()[n], c)); });
}

void scatter_add(const ScatterAddArgs& args) {
  each(args.rows, [&](int64_t n, int64_t c) {
    const int32_t id = args.ids.as<int32_t>()[n];
    if (id == args.skip) return;
    put(args.table, id, c, at(args.table, id, c) + static_cast<double>(args.factor) * at(args.rows, n, c));
  });
}

}  // namespace locus::kernel::reference
