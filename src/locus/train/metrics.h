// metrics.jsonl: what a run measured, a line of JSON for each step and for each validation.
//   {"step": 3, "loss": 2.5, "rate": 0.001, "norm": 1.5, "tokens": 128, "seconds": 0.01}
//   {"step": 3, "validation": {"loss": 2.4, "accuracy": 0.5}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/file.h"

namespace locus {

struct StepMetrics {
  int64_t step = 0;
  double loss = 0, rate = 0;
  double norm = 0;     // of the gradient, before clipping
  int64_t tokens = 0;  // in this step
  double seconds = 0;
};

using NamedNumber = std::pair<std::string, double>;

struct Validation {
  int64_t step = 0;
  double loss = 0;
  std::vector<NamedNumber> more;  // accuracy and the like
};

// The open file. A line is written at once: a killed process loses none.
class MetricsLog {
 public:
  // Goes on behind the first `bytes`, and drops what follows them. A file that is shorter is lengthened by
  // nothing: complete() then says no, and the lines of the missing steps stay missing.
  MetricsLog(const std::filesystem::path& path, int64_t bytes);

  void add(const StepMetrics& metrics);
  void add(const Validation& validation);
  void sync();
  int64_t bytes() const { return bytes_; }
  bool complete() const { return complete_; }

 private:
  void write(const std::string& line);
  std::filesystem::path path_;
  Descriptor descriptor_;
  int64_t bytes_ = 0;
  bool complete_ = true;
};

struct Metrics {
  std::vector<StepMetrics> steps;
  std::vector<Validation> validations;
};
// Refuses a line without a step, naming it. The last may lack its end: a run at work is just writing it.
Metrics read_metrics(const std::filesystem::path& path);

}  // namespace locus
