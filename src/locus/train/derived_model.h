// Models made of the parameters of another one: with another scheme, head or dropout, or on another device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/nn/model.h"

namespace locus {

struct DerivedModel {
  Model model;
  std::vector<std::string> dropped;  // names of the old scheme's parameters
};

// The same model on another device, or the model itself if it is there.
Model on_device(Model model, Device device);

// Copies every parameter except those of a scheme that differs and, with `new_head`, those of the head that
// do not fit. These are randomly initialized. Any other parameter must exist in `source` with the same shape.
DerivedModel derive(const Model& source, const Blueprint& blueprint, bool new_head, uint64_t seed);

// Whether two blueprints have the same scheme, or the same scheme of global-attention layers.
bool same_scheme(const Blueprint& a, const Blueprint& b);
bool same_global_scheme(const Blueprint& a, const Blueprint& b);

}  // namespace locus
