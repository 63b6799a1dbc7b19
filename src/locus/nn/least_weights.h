// How many weights a blueprint has at least, before any of them is made: what is too large, or larger than
// the file that should hold it, is refused first.
#pragma once

#include "locus/nn/blueprint.h"

namespace locus {

double least_weights(const Blueprint& blueprint);
// Of queries, keys, values and what attention puts out, together.
double attention_width(const Blueprint& blueprint);

}  // namespace locus
