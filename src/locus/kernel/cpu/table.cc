#include "locus/kernel/cpu/cpu.h"

namespace locus::kernel::cpu {

const Kernels& table() {
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_KERNEL_ENTRY)};
  return the_table;
}

}  // namespace locus::kernel::cpu
