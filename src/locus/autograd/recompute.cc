#include "locus/autograd/recompute.h"

#include <utility>

namespace locus {

Var recompute(std::function<Var(std::span<const Var>)> f, std::vector<Var> inputs) {
  Tensor value;
  {
    const NoGrad scope;
    value = f(inputs).value();
  }
  // f may use parameters that are not among its inputs. A dummy input that requires a gradient makes record()
  // record the step in any case.
  const Var dummy = Var::parameter(Tensor::scalar(0));
  std::vector<Var> recorded = inputs;
  recorded.push_back(dummy);
  return record(std::move(value), std::move(recorded), [f = std::move(f), inputs](const Tensor& dy) {
    std::vector<Var> leaves;
    for (const Var& input : inputs) {
      leaves.push_back(input.wants_grad() ? Var::parameter(input.value()) : Var(input.value()));
    }
    const Var again = f(leaves);
    if (!again.wants_grad()) return;
    again.backward(dy);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (leaves[i].grad()) inputs[i].accumulate(leaves[i].grad());
    }
  });
}

}  // namespace locus
