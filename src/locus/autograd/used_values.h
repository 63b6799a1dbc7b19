// Collects the values with a gradient that ops use, also inside NoGrad, where no step is recorded.
#pragma once

#include <vector>

#include "locus/autograd/var.h"

namespace locus {

// Collects on its own thread while it exists. Of several, the newest one collects.
class UsedValues {
 public:
  UsedValues();
  ~UsedValues();
  UsedValues(const UsedValues&) = delete;
  UsedValues& operator=(const UsedValues&) = delete;

  void add(const Var& value);  // if it requires a gradient
  // Each value once, in the order of the first use.
  const std::vector<Var>& list() const { return list_; }

 private:
  UsedValues* outer_;
  std::vector<Var> list_;
};

}  // namespace locus
