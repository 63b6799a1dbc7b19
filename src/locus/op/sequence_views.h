// Packed sequences as kernels see them.
#pragma once

#include "locus/kernel/attention.h"
#include "locus/op/terms.h"

namespace locus::op {

kernel::SequenceViews views_of(const Sequences& sequences, Device device);
// The number of pairs of a query and a key of the same sequence.
int64_t pairs(const Sequences& sequences);

}  // namespace locus::op
