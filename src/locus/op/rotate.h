// The rotation term applied to queries and keys; see kernel/rotate.h for the formula.
#pragma once

#include "locus/op/terms.h"

namespace locus::op {

// q [Nq, H*D] and k [Nk, G*D], heads side by side, each rotated by the same angles: the same shapes. Keys
// have tables and rows of their own in the term. The tables get no gradient.
Var rotate_queries(const Var& q, const RotationTerm& term, int64_t heads);
Var rotate_keys(const Var& k, const RotationTerm& term, int64_t heads);

}  // namespace locus::op
