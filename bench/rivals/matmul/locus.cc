#include "bench/rivals/contender.h"
#include "locus/op/matmul.h"

int main(int argc, char** argv) {
  using namespace locus;
  return bench::serve(argc, argv, [](const bench::Inputs& in) {
    const Var x(in.tensor("x")), weight(in.tensor("weight"));
    return [=] { return op::linear(x, weight).value(); };
  });
}
