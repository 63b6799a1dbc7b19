#include "bench/rivals/contender.h"
#include "locus/op/rotate.h"

int main(int argc, char** argv) {
  using namespace locus;
  return bench::serve(argc, argv, [](const bench::Inputs& in) {
    const Var q(in.tensor("q")), k(in.tensor("k"));
    const Tensor rows = in.tensor("rows");
    const RotationTerm term = {
        .cos = in.tensor("cos"), .sin = in.tensor("sin"), .query_rows = rows, .key_rows = rows, .width = 64};
    return [=] {
      const Var turned = op::rotate_queries(q, term, 12);
      return op::rotate_keys(k, term, 12).value();
    };
  });
}
