// Where a module's parameters go, and what they start from. A parameter's first value is a function of the
// seed and its own name: models that differ in one part start equal in all others.
#pragma once

#include <optional>

#include "locus/autograd/parameters.h"
#include "locus/base/random.h"
#include "locus/tensor/slab.h"

namespace locus {

class ParameterFactory {
 public:
  // Without a seed weights are left blank, for values that are read from elsewhere. `weights` is the format
  // of what states are multiplied by, and of the table of tokens, which may be that too: f32, or bf16.
  ParameterFactory(Scope scope, std::optional<uint64_t> seed, double init_std, DType weights)
      : scope_(std::move(scope)), seed_(seed), init_std_(init_std), weights_(weights) {}
  ParameterFactory operator/(std::string_view name) const {
    ParameterFactory below = *this;
    below.scope_ = scope_ / name;
    return below;
  }

  // For a module that is made a second time: it takes the parameters of the first.
  ParameterFactory again() const {
    ParameterFactory same = *this;
    same.again_ = true;
    return same;
  }

  Var weight(std::string_view name, const Shape& shape, double factor = 1) const;  // normal, in that format
  Var normal(std::string_view name, const Shape& shape, double factor = 1) const;
  Var full(std::string_view name, const Shape& shape, double value) const;
  const Scope& scope() const { return scope_; }
  std::optional<Random> random(std::string_view name) const;  // without a seed none

 private:
  Tensor drawn(std::string_view name, const Shape& shape, double factor) const;

  Scope scope_;
  std::optional<uint64_t> seed_;
  double init_std_;
  DType weights_;
  bool again_ = false;
  std::shared_ptr<Slab> memory_ = std::make_shared<Slab>();
};

}  // namespace locus
