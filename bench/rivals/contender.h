// The contender's side of the protocol with compare.py, in C++; see contender.py. Locus contenders also
// answer
//   limit KIND BYTES   measures a limit of the machine (bench/limits.h), in GB/s or GFLOP/s
#pragma once

#include <filesystem>
#include <functional>

#include "locus/tensor/tensor.h"

namespace locus::bench {

struct Inputs {
  std::filesystem::path folder;                // folder that prepare() of the workload wrote
  std::string name;                            // name of the case
  Tensor tensor(std::string_view name) const;  // a tensor of inputs.safetensors
};

// Prepares the job and runs it for every `run`. The job returns the result to compare, f32 or i32. Returns
// the exit code of the program.
int serve(int argc, char** argv, const std::function<std::function<Tensor()>(const Inputs&)>& prepare);

}  // namespace locus::bench
