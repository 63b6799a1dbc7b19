// The rows of all tokens, which the stacks of a model share.
#pragma once

#include <memory>

#include "locus/autograd/var.h"

namespace locus {

// Where rows of a table stay until a text has them.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Puts these rows into the table, those that are not there yet. Any number of threads may ask at once. What
  // is no row of it is passed over: whoever looks it up says so.
  virtual void bring(const Tensor& ids) const = 0;
};

struct TokenTable {
  Var rows;                                 // [V, K]
  std::shared_ptr<const RowSource> source;  // nullptr: all rows are there
};

}  // namespace locus
