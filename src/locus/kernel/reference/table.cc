#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

const Kernels& table() {
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_KERNEL_ENTRY)};
  return the_table;
}

}  // namespace locus::kernel::reference
