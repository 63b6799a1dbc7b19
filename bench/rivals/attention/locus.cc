#include "bench/rivals/contender.h"
#include "locus/op/attention.h"
#include "locus/scheme/placement.h"

int main(int argc, char** argv) {
  using namespace locus;
  return bench::serve(argc, argv, [](const bench::Inputs& in) {
    const bool backward = in.name == "backward";
    const auto value = [&](const char* name) {
      return backward ? Var::parameter(in.tensor(name)) : Var(in.tensor(name));
    };
    const Sequences sequences = Placement::rectangle(2, 512).sequences();
    Var q = value("q"), k = value("k"), v = value("v");
    const Tensor dy = in.tensor("dy");
    return [=]() mutable {
      for (Var* var : {&q, &k, &v}) var->clear_grad();
      const Var y = op::attention(q, k, v, sequences, {}, {.heads = 12});
      if (!backward) return y.value();
      y.backward(dy);
      return q.grad();
    };
  });
}
