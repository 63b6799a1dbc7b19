// A scheme by name and attention under it: the face of the library, headers to kernels.
#include <fmt/core.h>

#include "locus/locus.h"

void rotate_one_head();  // kernels.cc

int main() {
  using namespace locus;
  Parameters parameters;
  const Geometry geometry = {.width = 32, .heads = 4, .head_size = 8, .causal = true};
  const auto scheme = make_scheme("alibi", geometry, {}, Scope(parameters), Random(1, 0));
  const Placement placement = Placement::of_lengths(std::vector<int64_t>{3, 2});
  const Var x(Tensor::full({5, 32}, 1));
  const ScoreTerms scores = scheme->begin(placement).scores({.layer = 0});
  const Var y = op::attention(x, x, x, placement.sequences(), scores, {.heads = 4, .causal = true});
  fmt::print("locus {}, {} schemes, {}\n", version(), schemes().size(), y.shape().text());
  rotate_one_head();
}
