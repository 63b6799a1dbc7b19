#include "locus/autograd/recompute.h"

#include <utility>

#include "locus/autograd/used_values.h"

namespace locus {

Var recompute(std::function<Var(std::span<const Var>)> f, std::vector<Var> inputs) {
  Tensor value;
  // f may use parameters and other values that are not among its inputs. The step depends on them, too.
  std::vector<Var> used;
  {
    const NoGrad scope;
    UsedValues values;
    const Var result = f(inputs);
    values.add(result);  // f may return a value that no op has used
    used = values.list();
    value = result.value();
  }
  return record(std::move(value), std::move(used), [f = std::move(f), inputs](const Tensor& dy) {
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
