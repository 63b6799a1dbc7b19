// What two runs that must agree are compared by.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "locus/base/file.h"
#include "locus/train/metrics.h"

namespace locus {

// All results of a run that do not depend on the clock.
inline std::string result_of(const std::filesystem::path& folder) {
  std::string result;
  for (const char* file :
       {"last/model.safetensors", "last/optimizer.safetensors", "best/model.safetensors"}) {
    result += read_file(folder / file);
  }
  const Metrics metrics = read_metrics(folder / "metrics.jsonl");
  for (const StepMetrics& m : metrics.steps) {
    result += fmt::format("{} {} {} {} {}\n", m.step, m.loss, m.rate, m.norm, m.tokens);
  }
  for (const Validation& v : metrics.validations) result += fmt::format("{} {}\n", v.step, v.loss);
  return result;
}

}  // namespace locus
