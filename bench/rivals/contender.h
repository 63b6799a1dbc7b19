// A contender's side of the talk with compare.py, in C++: see contender.py. A contender of Locus also answers
//   limit KIND BYTES   measures what the machine allows (bench/limits.h), in GB/s or GFLOP/s
#pragma once

#include <filesystem>
#include <functional>

#include "locus/tensor/tensor.h"

namespace locus::bench {

struct Inputs {
  std::filesystem::path folder;                // what the workload's prepare() wrote
  std::string name;                            // of the case that is wanted
  Tensor tensor(std::string_view name) const;  // of inputs.safetensors
};

// Prepares the job and runs it for every `run`; the job returns what is compared, f32 or i32. Returns the
// exit code of the program.
int serve(int argc, char** argv, const std::function<std::function<Tensor()>(const Inputs&)>& prepare);

}  // namespace locus::bench
