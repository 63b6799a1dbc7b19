// Figures of a model: the parameters of its parts and the effect of its position schemes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/report/figure.h"

namespace locus::report {

// The parts of a model in the order of its parameters, with their parameter counts; they sum up to the model.
std::vector<std::pair<std::string, int64_t>> parts_of(const Model& model);

// What happens with inputs longer than max_length, in a phrase.
std::string past_max_length(const Blueprint& blueprint);

// For every stack, and for its global-attention layers if they have their own scheme: scores and position
// vectors with the model's values, the norms of learned position vectors, and the wavelengths of a rotation.
std::vector<Figure> model_figures(const Model& model);

}  // namespace locus::report
