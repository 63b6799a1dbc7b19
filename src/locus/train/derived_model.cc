#include "locus/train/derived_model.h"

#include "locus/base/error.h"

namespace locus {

bool same_scheme(const Blueprint& a, const Blueprint& b) {
  return a.scheme == b.scheme && a.scheme_options == b.scheme_options;
}

bool same_global_scheme(const Blueprint& a, const Blueprint& b) {
  return a.global.scheme == b.global.scheme && a.global.scheme_options == b.global.scheme_options;
}

DerivedModel derive(const Model& source, const Blueprint& blueprint, bool new_head, uint64_t seed) {
  const Blueprint& before = source.blueprint();
  const bool new_scheme = !same_scheme(before, blueprint),
             new_global_scheme = !same_global_scheme(before, blueprint);
  const auto is_new = [&](const NamedParameter& parameter) {
    return (new_scheme && parameter.owner == Owner::scheme) ||
           (new_global_scheme && parameter.owner == Owner::global_scheme) ||
           (new_head && parameter.owner == Owner::labels);
  };
  DerivedModel result{.model = Model(blueprint, {.seed = seed}), .dropped = {}};
  const Parameters& parameters = result.model.parameters();
  for (const NamedParameter& parameter : parameters.all()) {
    if (is_new(parameter)) continue;
    const std::string& name = parameter.name;
    Var target = parameter.var;
    const bool exists = source.parameters().has(name);
    const bool fits = exists && source.parameters().at(name).shape() == target.shape();
    if (!fits && new_head && parameter.owner == Owner::head) continue;
    require(exists, "parameter {} is missing in the model to start from", name);
    const Var own = source.parameters().at(name);
    require(fits, "parameter {} has the shape {} in the model to start from, expected {}", name, own.shape(),
            target.shape());
    Tensor value = target.value();
    value.copy_from(own.value());
    target.set_wants_grad(own.wants_grad());
  }
  for (const NamedParameter& old : source.parameters().all()) {
    if (old.owner == Owner::head || old.owner == Owner::labels) continue;
    if (!parameters.has(old.name) || is_new(old)) result.dropped.push_back(old.name);
  }
  return result;
}

Model on_device(Model model, Device device) {
  if (model.parameters().device() == device) return model;
  Model moved(model.blueprint(), {.seed = std::nullopt, .device = device});
  for (const NamedParameter& parameter : moved.parameters().all()) {
    const Var own = model.parameters().at(parameter.name);
    Var target = parameter.var;
    Tensor value = target.value();
    value.copy_from(own.value());
    target.set_wants_grad(own.wants_grad());
  }
  return moved;
}

}  // namespace locus
