// Examples of a task as one packed batch.
#pragma once

#include "locus/nn/forward_pass.h"
#include "locus/study/task.h"

namespace locus::study {

struct Batch {
  Tokens tokens;
  Indices targets;  // [N]
};

// Examples `first` to `first + count` of a seed's endless list. Training and test lists are disjoint.
Batch batch(const Task& task, int64_t length, uint64_t seed, List list, int64_t first, int64_t count);

}  // namespace locus::study
