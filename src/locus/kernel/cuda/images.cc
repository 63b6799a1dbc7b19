#include "locus/kernel/cuda/images.h"

#ifdef LOCUS_FATBINS

// The assembler copies the files that cmake/Cuda.cmake made.
#define LOCUS_EMBED(name)                                                                        \
  asm(".section .rodata\n.balign 64\n.globl locus_fatbin_" #name "\n.hidden locus_fatbin_" #name \
      "\nlocus_fatbin_" #name ":\n.incbin \"" LOCUS_FATBINS "/" #name ".fatbin\"\n.text\n");     \
  extern "C" __attribute__((visibility("hidden"))) const char locus_fatbin_##name[];

LOCUS_EMBED(attention)
LOCUS_EMBED(attention_backward)
LOCUS_EMBED(attention_mma)
LOCUS_EMBED(attention_mma_keys)
LOCUS_EMBED(attention_mma_queries)
LOCUS_EMBED(attention_tables)
LOCUS_EMBED(convert)
LOCUS_EMBED(distance)
LOCUS_EMBED(elementwise)
LOCUS_EMBED(embed)
LOCUS_EMBED(loss)
LOCUS_EMBED(matmul)
LOCUS_EMBED(norm)
LOCUS_EMBED(product)
LOCUS_EMBED(product_hopper)
LOCUS_EMBED(reduce)
LOCUS_EMBED(rotate)
LOCUS_EMBED(scatter)

namespace locus::kernel::cuda {

std::span<const Image> images() {
  static constexpr Image all[] = {
      {"attention", locus_fatbin_attention},
      {"attention_backward", locus_fatbin_attention_backward},
      {"attention_mma", locus_fatbin_attention_mma},
      {"attention_mma_keys", locus_fatbin_attention_mma_keys},
      {"attention_mma_queries", locus_fatbin_attention_mma_queries},
      {"attention_tables", locus_fatbin_attention_tables},
      {"convert", locus_fatbin_convert},
      {"distance", locus_fatbin_distance},
      {"elementwise", locus_fatbin_elementwise},
      {"embed", locus_fatbin_embed},
      {"loss", locus_fatbin_loss},
      {"matmul", locus_fatbin_matmul},
      {"norm", locus_fatbin_norm},
      {"product", locus_fatbin_product},
      {"product_hopper", locus_fatbin_product_hopper},
      {"reduce", locus_fatbin_reduce},
      {"rotate", locus_fatbin_rotate},
      {"scatter", locus_fatbin_scatter},
  };
  return all;
}

}  // namespace locus::kernel::cuda

#else

namespace locus::kernel::cuda {

std::span<const Image> images() { return {}; }

}  // namespace locus::kernel::cuda

#endif
