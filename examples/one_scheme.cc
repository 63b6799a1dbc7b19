// Creates a scheme and runs attention on two packed sequences with the scheme's terms.
#include <fmt/core.h>

#include "locus/locus.h"

using namespace locus;

int main() {
  Parameters parameters;
  const Geometry geometry = {.width = 256, .heads = 8, .head_size = 32, .causal = true};
  const auto scheme = make_scheme(Rotary{.base = 500000}, geometry, Scope(parameters), Random(1, 0));
  const Placement placement = Placement::of_lengths(std::vector<int64_t>{5, 3});  // two sequences, packed
  const SchemePass pass = scheme->begin(placement);

  Var q(Tensor::full({8, 256}, 1)), k = q, v = q;
  if (pass.rotation()) {
    q = op::rotate_queries(q, *pass.rotation(), 8);
    k = op::rotate_keys(k, *pass.rotation(), 8);
  }
  const ScoreTerms scores = pass.scores({.layer = 0});
  const Var out = op::attention(q, k, v, placement.sequences(), scores, {.heads = 8, .causal = true});
  fmt::print("{} tokens: {}\n", placement.queries(), out.shape().text());
}
