// Looks up rows of a learned table by position: output[n, t, :] = table[positions[n, t], :]. The lookup only
// copies rows. In training, the gradient of a row is the sum over all places that used it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "locus/locus.h"

using namespace locus;

int main() {
  // max_len 4, d_model 3. Positions are float32 with integer values, in any order.
  const Var table = Var::parameter(
      Tensor::of({4, 3}, {0.0f, 0.1f, 0.2f, 1.0f, 1.1f, 1.2f, 2.0f, 2.1f, 2.2f, 3.0f, 3.1f, 3.2f}));
  const Tensor positions = Tensor::of({2, 3}, {0.0f, 1.0f, 2.0f, 3.0f, 1.0f, 1.0f});
  const Var rows = lookup(positions, table);

  fmt::print("positions {}, table {}: output {}\n", positions.shape().text(), table.shape().text(),
             rows.shape().text());
  const std::vector<float> at = positions.values(), values = rows.value().values();
  for (size_t i = 0; i < at.size(); ++i) {
    fmt::print("position {}: {}\n", at[i], std::span(values).subspan(3 * i, 3));
  }
  rows.backward(Tensor::full({2, 3, 3}, 1));
  fmt::print("gradient of the table: {}\n", table.grad().values());
}
