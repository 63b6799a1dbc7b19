// The rotation term applied to queries and keys; see kernel/rotate.h for the formula.
#pragma once

#include "locus/op/terms.h"

namespace locus::op {

// q [Nq, H*D] and k [Nk, G*D] with concatenated heads. All heads are rotated by the same angles; the shape
// does not change. The term has separate tables and rows for keys. The tables get no gradient.
Var rotate_queries(const Var& q, const RotationTerm& term, int64_t heads);
Var rotate_keys(const Var& k, const RotationTerm& term, int64_t heads);

// Rotates x [Nq, H*D] as queries, in place, or turns a gradient of the result back. Nothing is recorded.
void rotate_in_place(const Tensor& x, const RotationTerm& term, int64_t heads, bool backward);

}  // namespace locus::op
