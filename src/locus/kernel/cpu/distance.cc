// The tables are small and are computed in double, so the loops of the reference serve.
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::cpu {

void gather_columns(const GatherColumnsArgs& args) { reference::gather_columns(args); }
void gather_columns_backward(const GatherColumnsBackwardArgs& args) {
  reference::gather_columns_backward(args);
}
void distance_decay(const DistanceDecayArgs& args) { reference::distance_decay(args); }
void distance_decay_backward(const DistanceDecayBackwardArgs& args) {
  reference::distance_decay_backward(args);
}
void pair_quotient(const PairQuotientArgs& args) { reference::pair_quotient(args); }
void pair_quotient_backward(const PairQuotientBackwardArgs& args) { reference::pair_quotient_backward(args); }

}  // namespace locus::kernel::cpu
