#include "locus/op/gather.h"

#include <vector>

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/scatter_rows.h"

namespace locus::op {

Var gather(const Var& table, const Indices& ids, int32_t frozen) {
  Check check("gather");
  check.floating("table", table);
  check.that(table.shape().rank() == 2, Code::bad_shape, "table has shape {}, expected [rows, columns]",
             table.shape());
  check.ids("ids", ids, table.shape()[0]);
  check.that(ids.shape().rank() < Shape::kMaxRank, Code::bad_shape,
             "ids have shape {}, expected rank {} or less", ids.shape(), Shape::kMaxRank - 1);
  std::vector<int64_t> sizes(ids.shape().sizes().begin(), ids.shape().sizes().end());
  sizes.push_back(table.shape()[1]);
  const Indices flat = ids.flat();
  const Tensor out = check.result(table.value(), sizes);
  kernels(out.device())
      .gather({.table = table.value().view(), .ids = flat.view(out.device()), .out = out.view()});
  return record(out, {table}, [=](const Tensor& dy) { scatter_rows(table, dy, flat, frozen); });
}

}  // namespace locus::op
