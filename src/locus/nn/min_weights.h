// A lower bound on the number of weights of a blueprint, computed before any memory is allocated. It serves
// to reject a model that is too large, or larger than the file that should contain it.
#pragma once

#include "locus/nn/blueprint.h"

namespace locus {

double min_weights(const Blueprint& blueprint);
// The widths of queries, keys, values and the attention output, summed.
double attention_width(const Blueprint& blueprint);

}  // namespace locus
