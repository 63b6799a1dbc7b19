// The rotation term applied to queries and keys.
#pragma once

#include <utility>

#include "locus/op/terms.h"

namespace locus::op {

// x [N, H*D], heads side by side, each rotated by the same angles.
Var rotate_queries(const Var& q, const RotationTerm& term, int64_t heads);
Var rotate_keys(const Var& k, const RotationTerm& term, int64_t heads);

}  // namespace locus::op
