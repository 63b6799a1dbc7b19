#include "locus/kernel/cuda/cuda.h"

namespace locus::kernel::cuda {

const Kernels& table() {
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_KERNEL_ENTRY)};
  return the_table;
}

}  // namespace locus::kernel::cuda
