// The parameters of a model made by Locus, in a safetensors file under their Locus names.
#pragma once

#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/nn/blueprint.h"

namespace locus {

std::vector<NamedTensor> named_tensors(const Parameters& parameters);

// Reads the parameters; bf16 parameters are rounded. The file must contain exactly these, as f32.
void read_parameters(const SafetensorsFile& file, const Parameters& parameters);

// Throws if the blueprint needs more weights than the `found` numbers in its file, before memory is
// allocated. `owner` is the file that contains the blueprint.
void require_numbers(const Blueprint& blueprint, double found, const std::filesystem::path& owner);

}  // namespace locus
