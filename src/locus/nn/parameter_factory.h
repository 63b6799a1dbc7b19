// Creates the parameters of modules and their initial values. An initial value depends only on the seed and
// on the name of its parameter, so models that differ in one module start with equal weights in all others.
#pragma once

#include <optional>

#include "locus/autograd/parameters.h"
#include "locus/base/random.h"
#include "locus/tensor/slab.h"

namespace locus {

class ParameterFactory {
 public:
  // Without a seed, weights stay uninitialized, to be read from a file. `weights` is the format of the weight
  // matrices and of the token embeddings: f32 or bf16.
  ParameterFactory(Scope scope, std::optional<uint64_t> seed, double init_std, DType weights)
      : scope_(std::move(scope)), seed_(seed), init_std_(init_std), weights_(weights) {}
  ParameterFactory operator/(std::string_view name) const {
    ParameterFactory below = *this;
    below.scope_ = scope_ / name;
    return below;
  }

  // A factory that returns the existing parameters of a module instead of new ones (shared layers).
  ParameterFactory reusing() const {
    ParameterFactory same = *this;
    same.reuse_ = true;
    return same;
  }

  // The same factory for parameters of another part of the model.
  ParameterFactory owned_by(Owner owner) const {
    ParameterFactory same = *this;
    same.scope_ = scope_.owned_by(owner);
    return same;
  }

  // Normal values; their standard deviation is `factor` times init_std. weight() is in format `weights`.
  Var weight(std::string_view name, const Shape& shape, Role role, double factor = 1) const;
  Var normal(std::string_view name, const Shape& shape, Role role, double factor = 1) const;
  Var full(std::string_view name, const Shape& shape, Role role, double value) const;
  const Scope& scope() const { return scope_; }
  std::optional<Random> random(std::string_view name) const;  // empty without a seed

 private:
  Tensor random_values(std::string_view name, const Shape& shape, double factor) const;

  Scope scope_;
  std::optional<uint64_t> seed_;
  double init_std_;
  DType weights_;
  bool reuse_ = false;
  std::shared_ptr<Slab> memory_ = std::make_shared<Slab>();
};

}  // namespace locus
