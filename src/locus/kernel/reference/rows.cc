#include <vector>

#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void gather(const GatherArgs& args) {
  each(args.out,
       [&](int64_t n, int64_t c) { put(args.out, n, c, at(args.table, args.ids.as<int32_t>()[n], c)); });
}

void scatter_add(const ScatterAddArgs& args) {
  std::vector<double> sums(static_cast<size_t>(args.table.numel()));
  const auto index = [&](int64_t v, int64_t c) { return static_cast<size_t>(v * args.table.cols + c); };
  each(args.table, [&](int64_t v, int64_t c) { sums[index(v, c)] = at(args.table, v, c); });
  each(args.rows, [&](int64_t n, int64_t c) {
    const int32_t id = args.ids.as<int32_t>()[n];
    if (id == args.skip) return;
    sums[index(id, c)] += static_cast<double>(args.factor) * at(args.rows, n, c);
  });
  each(args.table, [&](int64_t v, int64_t c) { put(args.table, v, c, sums[index(v, c)]); });
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
