#include "locus/nn/parameter_factory.h"

#include "locus/base/parallel.h"
#include "locus/op/convert.h"

namespace locus {
namespace {

// FNV-1a: a separate random stream for every parameter name.
uint64_t stream_of(std::string_view path, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::string_view part : {path, std::string_view("."), name}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

std::optional<Random> ParameterFactory::random(std::string_view name) const {
  if (!seed_) return std::nullopt;
  return Random(*seed_, stream_of(scope_.path(), name));
}

Tensor ParameterFactory::random_values(std::string_view name, const Shape& shape, double factor) const {
  const Tensor value = memory_->empty(shape);
  const Random numbers = *random(name);
  const auto out = value.data<float>();
  const auto init_std = static_cast<float>(init_std_ * factor);
  parallel_for(value.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = init_std * numbers.normal(static_cast<uint64_t>(i));
  });
  return value;
}

Var ParameterFactory::normal(std::string_view name, const Shape& shape, Role role, double factor) const {
  if (reuse_) return scope_.at(name);
  return scope_.add(name, seed_ ? random_values(name, shape, factor) : memory_->empty(shape), role);
}

Var ParameterFactory::weight(std::string_view name, const Shape& shape, Role role, double factor) const {
  if (weights_ == DType::f32 || reuse_) return normal(name, shape, role, factor);
  return scope_.add(
      name,
      seed_ ? op::convert(random_values(name, shape, factor), weights_) : memory_->empty(shape, weights_),
      role);
}

Var ParameterFactory::full(std::string_view name, const Shape& shape, Role role, double value) const {
  return reuse_ ? scope_.at(name) : scope_.add(name, Tensor::full(shape, value), role);
}

}  // namespace locus
