#include "locus/op/scatter_rows.h"

#include "locus/kernel/kernels.h"

namespace locus::op {

void scatter_rows(const Var& table, const Tensor& rows, const Indices& ids, int32_t frozen, float factor) {
  if (!table.wants_grad()) return;
  kernels(rows.device())
      .scatter_add({.rows = rows.view(),
                    .ids = ids.view(rows.device()),
                    .table = table.open_grad().view(),
                    .skip = frozen,
                    .factor = factor});
}

}  // namespace locus::op
