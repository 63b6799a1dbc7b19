// Looks up rows of a table by index, for token and position embeddings.
#pragma once

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus::op {

// out[.., :] = table[ids[..], :]; table [V, C], ids of any shape, each in [0, V). Gradients of rows that
// occur more than once are added in the order of ids. The row `frozen` (a padding row) gets no gradient; -1:
// no frozen row.
Var gather(const Var& table, const Indices& ids, int32_t frozen = -1);

}  // namespace locus::op
