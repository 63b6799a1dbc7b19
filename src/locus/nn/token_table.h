// The table of token embeddings, which the stacks of a model share.
#pragma once

#include <memory>

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus {

// Loads rows of a table on first use.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Loads these rows into the table, unless they already are loaded. Thread-safe. Ids outside the table are
  // ignored here; the lookup reports them.
  virtual void load(const Indices& ids) const = 0;
};

struct TokenTable {
  Var rows;                                 // [V, K]
  std::shared_ptr<const RowSource> source;  // nullptr: all rows are loaded
};

}  // namespace locus
