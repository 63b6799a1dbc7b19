// Where a module's parameters go, and what they start from. A parameter's first value is a function of the
// seed and its own name: models that differ in one part start equal in all others.
#pragma once

#include <optional>

#include "locus/autograd/parameters.h"
#include "locus/base/random.h"
#include "locus/tensor/slab.h"

namespace locus {

class Site {
 public:
  // Without a seed weights are left blank, for values that are read from elsewhere. `weights` is the format
  // of what states are multiplied by, and of the table of tokens, which may be that too: f32, or bf16.
  Site(Scope scope, std::optional<uint64_t> seed, double deviation, DType weights)
      : scope_(std::move(scope)), seed_(seed), deviation_(deviation), weights_(weights) {}
  Site operator/(std::string_view name) const {
    Site below = *this;
    below.scope_ = scope_ / name;
    return below;
  }

  // For a module that is made a second time: it takes the parameters of the first.
  Site again() const {
    Site same = *this;
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
  double deviation_;
  DType weights_;
  bool again_ = false;
  std::shared_ptr<Slab> memory_ = std::make_shared<Slab>();
};

}  // namespace locus
