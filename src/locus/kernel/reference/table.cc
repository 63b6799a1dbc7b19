#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

const Kernels& table() {
  static constexpr Kernels the_table = {
      .packed_size = packed_size,
      .pack = pack,
      .matmul = matmul,
      .matmul_small_m = matmul_small_m,
      .norm = norm,
      .norm_backward = norm_backward,
      .activation = activation,
      .activation_backward = activation_backward,
      .gated = gated,
      .gated_backward = gated_backward,
      .add = add,
      .scale = scale,
      .multiply = multiply,
      .bias = bias,
      .column_sum = column_sum,
      .dropout = dropout,
      .convert = convert,
      .gather = gather,
      .scatter_add = scatter_add,
      .embed = embed,
      .embed_backward = embed_backward,
      .rotate = rotate,
      .cross_entropy = cross_entropy,
      .cross_entropy_backward = cross_entropy_backward,
      .sum = sum,
      .squared_norm = squared_norm,
      .attention_workspace = attention_workspace,
      .attention_backward_workspace = attention_backward_workspace,
      .attention = attention,
      .attention_backward = attention_backward,
      .adamw = adamw,
  };
  return the_table;
}

}  // namespace locus::kernel::reference
