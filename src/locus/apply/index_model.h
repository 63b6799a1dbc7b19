// Whether the vectors of an index come from the model that embeds its queries.
#pragma once

#include "locus/apply/embedder.h"
#include "locus/apply/vector_index.h"

namespace locus {

// Throws if the vectors have another width than those of the model. If the index has texts, also throws
// unless the model gives its first text the vector of row 0, with one of its prompts or without.
void require_vectors_of(const Embedder& embedder, const VectorIndex& index);

}  // namespace locus
