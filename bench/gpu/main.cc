// locus_gpu_bench [NAME...]: prints a table of the GPU's kernels and of whole models, each with its share of
// a limit of the same GPU. NAMEs select the rows whose names contain one of them. Run it on an idle GPU.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/gpu/cases.h"
#include "bench/gpu/measure.h"
#include "locus/base/error.h"
#include "locus/kernel/kernels.h"

int main(int argc, char** argv) try {
  using namespace locus;
  const std::vector<std::string> names(argv + 1, argv + argc);
  if (!names.empty() && names[0].starts_with('-')) {
    fmt::print(stderr, "use: locus_gpu_bench [NAME...]\n");
    return 2;
  }
  require_usable(Device::cuda);
  gpu_bench::start_table(names);
  gpu_bench::measure_kernels();
  gpu_bench::measure_attention();
  gpu_bench::measure_models();
} catch (const locus::Error& error) {
  fmt::print(stderr, "locus_gpu_bench: {}\n", error.what());
  return static_cast<int>(error.fault());
}
