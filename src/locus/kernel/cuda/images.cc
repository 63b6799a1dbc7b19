#include "locus/kernel/cuda/images.h"

#ifdef LOCUS_FATBINS

// The assembler copies the files that cmake/Cuda.cmake made.
#define LOCUS_EMBED(name)                                                                        \
  asm(".section .rodata\n.balign 64\n.globl locus_fatbin_" #name "\n.hidden locus_fatbin_" #name \
      "\nlocus_fatbin_" #name ":\n.incbin \"" LOCUS_FATBINS "/" #name ".fatbin\"\n.text\n");     \
  extern "C" __attribute__((visibility("hidden"))) const char locus_fatbin_##name[];

LOCUS_EMBED(attention)
LOCUS_EMBED(attention_backward)
LOCUS_EMBED(attention_tables)
LOCUS_EMBED(distance)
LOCUS_EMBED(elementwise)
LOCUS_EMBED(matmul)
LOCUS_EMBED(pack)
LOCUS_EMBED(reduce)
LOCUS_EMBED(rows)

namespace locus::kernel::cuda {

std::span<const Image> images() {
  static constexpr Image all[] = {
      {"attention", locus_fatbin_attention},
      {"attention_backward", locus_fatbin_attention_backward},
      {"attention_tables", locus_fatbin_attention_tables},
      {"distance", locus_fatbin_distance},
      {"elementwise", locus_fatbin_elementwise},
      {"matmul", locus_fatbin_matmul},
      {"pack", locus_fatbin_pack},
      {"reduce", locus_fatbin_reduce},
      {"rows", locus_fatbin_rows},
  };
  return all;
}

}  // namespace locus::kernel::cuda

#else

namespace locus::kernel::cuda {

std::span<const Image> images() { return {}; }

}  // namespace locus::kernel::cuda

#endif
