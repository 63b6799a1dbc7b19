// Attention by the reference's loops until the vector kernel is written.
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::cpu {

int64_t attention_workspace(const AttentionArgs&) { return 1; }
int64_t attention_backward_workspace(const AttentionBackwardArgs&) { return 1; }
void attention(const AttentionArgs& args) { reference::attention(args); }
void attention_backward(const AttentionBackwardArgs& args) { reference::attention_backward(args); }

}  // namespace locus::kernel::cpu
