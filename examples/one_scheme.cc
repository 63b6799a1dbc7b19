// Creates a scheme by name and runs attention on two packed sequences with the scheme's terms.
#include <fmt/core.h>

#include "locus/locus.h"

using namespace locus;

int main() {
  Parameters parameters;
  const Geometry geometry = {.width = 256, .heads = 8, .head_size = 32, .causal = true};
  const auto scheme = make_scheme("rotary", geometry, {{"base", "10000"}}, Scope(parameters), Random(1, 0));
  const Placement placement = Placement::of_lengths(std::vector<int64_t>{5, 3});  // two sequences, packed
  const Terms terms = scheme->terms(placement);

  Var q(Tensor::full({8, 256}, 1)), k = q, v = q;
  q = op::rotate_queries(q, *terms.rotation, 8);
  k = op::rotate_keys(k, *terms.rotation, 8);
  const Var out = op::attention(q, k, v, placement.sequences(), terms.scores, {.heads = 8, .causal = true});
  fmt::print("{} tokens: {}\n", placement.queries(), out.shape().text());
}
