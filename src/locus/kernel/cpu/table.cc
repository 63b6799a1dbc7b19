#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/widen.h"

namespace locus::kernel::cpu {

const Kernels& table() {
#define LOCUS_WIDENED(result, name, parameters) .name = widened<&name>,
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_WIDENED)};
#undef LOCUS_WIDENED
  return the_table;
}

}  // namespace locus::kernel::cpu
