// The parameters of a model made here, in a safetensors file under their own names.
#pragma once

#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/nn/blueprint.h"

namespace locus {

std::vector<NamedTensor> named_tensors(const Parameters& parameters);

// Fills the parameters, those in bf16 by rounding. The file must hold them all, as f32, and nothing else.
void read_parameters(const SafetensorsFile& file, const Parameters& parameters);

// Refuses a blueprint that needs more than the `found` numbers of its weights, before memory is taken for it.
// `owner` is the file that describes it.
void require_numbers(const Blueprint& blueprint, double found, const std::filesystem::path& owner);

}  // namespace locus
