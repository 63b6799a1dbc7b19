// Pooling: one row per sequence of a packed batch.
#pragma once

#include "locus/nn/blueprint.h"

namespace locus {

// hidden [N, C] has one row per query of the placement; returns [B, C].
Var pooled(const Var& hidden, const Placement& placement, Pooling pooling);

}  // namespace locus
