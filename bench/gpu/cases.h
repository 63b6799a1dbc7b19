// What locus_gpu_bench measures.
#pragma once

namespace locus::gpu_bench {

void measure_kernels();
void measure_attention();
void measure_models();

}  // namespace locus::gpu_bench
