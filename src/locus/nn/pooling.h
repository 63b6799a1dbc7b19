// One row for every sequence of a packed batch.
#pragma once

#include "locus/nn/blueprint.h"

namespace locus {

// hidden [N, C] of the placement's queries: [B, C].
Var pooled(const Var& hidden, const Placement& placement, Pooling pooling);

}  // namespace locus
