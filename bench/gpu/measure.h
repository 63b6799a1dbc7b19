// Times work of the GPU, and compares it with the limits of the same GPU, measured in the same run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace locus::gpu_bench {

enum class Limit {
  copy,          // TB/s read and written by a copy of 1 GiB
  fill,          // TB/s written by a fill of 1 GiB
  product,       // TFLOP/s of cuBLAS in float32, 8192 x 8192 x 8192
  bf16_product,  // the same in bf16, with sums in float32
};

// Prints the limits and the head of the table. Rows whose names contain none of `names` are not measured,
// unless there are none.
void start_table(const std::vector<std::string>& names);
bool is_wanted(const std::string& name);

// Prints the median time of seven runs, or of three if a run takes longer than a second, what a run moves or
// computes a second, and its share of the limit. Returns the seconds of a run.
double measure(const std::string& name, double amount, Limit limit, const std::function<void()>& run);

// TFLOP/s of cuBLAS, which is opened if it is installed; 0 if it is not.
double cublas_speed(Limit);

// The median seconds of a run.
double seconds_of(const std::function<void()>& run);

}  // namespace locus::gpu_bench
