#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/widen.h"

namespace locus::kernel::cuda {

const Kernels& table() {
#define LOCUS_WIDENED(result, name, parameters) .name = widened<&name>,
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_WIDENED)};
#undef LOCUS_WIDENED
  return the_table;
}

}  // namespace locus::kernel::cuda
