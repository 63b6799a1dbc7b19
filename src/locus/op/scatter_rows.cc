#include "locus/op/scatter_rows.h"

#include "locus/kernel/kernels.h"

namespace locus::op {

void scatter_rows(const Var& table, const Tensor& rows, const Tensor& ids, int32_t frozen, float factor) {
  if (!table.wants_grad()) return;
  kernels(rows.device())
      .scatter_add({.rows = rows.view(),
                    .ids = ids.view(),
                    .table = table.open_grad().view(),
                    .skip = frozen,
                    .factor = factor});
}

}  // namespace locus::op
