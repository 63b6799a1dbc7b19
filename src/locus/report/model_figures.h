// A model, looked at: how many numbers each part has, and what its positions do.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/report/figure.h"

namespace locus::report {

// The model's parts in the order of its parameters, and how many numbers each has; all together are the
// model.
std::vector<std::pair<std::string, int64_t>> parts_of(const Model& model);

// What happens past the longest input, in a sentence.
std::string past_the_end(const Blueprint& blueprint);

// For every stack, and for layers of it that have a scheme of their own: the scores and rows its scheme gives
// with the values the model has, the lengths of learned rows, and the wavelengths of a rotation.
std::vector<Figure> model_figures(const Model& model);

}  // namespace locus::report
