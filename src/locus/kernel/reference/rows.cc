#include <vector>

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

void gather_columns(const GatherColumnsArgs& args) {
  each(args.out,
       [&](int64_t c, int64_t n) { put(args.out, c, n, at(args.table, args.ids.as<int32_t>()[n], c)); });
}

void gather_columns_backward(const GatherColumnsBackwardArgs& args) {
  std::vector<double> sums(static_cast<size_t>(args.dtable.numel()));
  const auto index = [&](int64_t v, int64_t c) { return static_cast<size_t>(v * args.dtable.cols + c); };
  each(args.dout,
       [&](int64_t c, int64_t n) { sums[index(args.ids.as<int32_t>()[n], c)] += at(args.dout, c, n); });
  each(args.dtable, [&](int64_t v, int64_t c) { put(args.dtable, v, c, sums[index(v, c)]); });
}

}  // namespace locus::kernel::reference
