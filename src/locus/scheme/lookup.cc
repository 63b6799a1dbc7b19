#include "locus/scheme/lookup.h"

#include "locus/op/gather.h"
#include "locus/scheme/position_ids.h"

namespace locus {

Var lookup(const Tensor& positions, const Var& table) {
  require(static_cast<bool>(table), Code::bad_shape, "lookup: table is missing, expected [max_len, d_model]");
  require(table.shape().rank() == 2, Code::bad_shape,
          "lookup: table has shape {}, expected [max_len, d_model]", table.shape());
  const std::vector<int32_t> ids = read_position_ids("lookup", positions, {}, table.shape()[0]);
  return op::gather(table, Tensor::of(positions.shape(), ids));
}

}  // namespace locus
