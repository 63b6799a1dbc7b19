#include "bench/rivals/contender.h"
#include "locus/op/embed.h"

int main(int argc, char** argv) {
  using namespace locus;
  return bench::serve(argc, argv, [](const bench::Inputs& in) {
    const bool backward = in.name == "backward";
    const auto value = [&](const char* name) {
      return backward ? Var::parameter(in.tensor(name)) : Var(in.tensor(name));
    };
    const Tensor ids = in.tensor("ids"), dy = in.tensor("dy"), rows = Tensor::empty(ids.shape(), DType::i32);
    Var tokens = value("tokens"), positions = value("positions"), gamma = value("gamma"),
        beta = value("beta");
    const int64_t length = positions.shape()[0];
    for (int64_t i = 0; i < ids.numel(); ++i) {
      rows.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i % length);
    }
    return [=]() mutable {
      for (Var* var : {&tokens, &positions, &gamma, &beta}) var->clear_grad();
      const Var y = op::embed(tokens, ids, InputTerm{positions, rows, false},
                              {.gamma = gamma, .beta = beta, .eps = 1e-12f});
      if (!backward) return y.value();
      y.backward(dy);
      return gamma.grad();
    };
  });
}
