// metrics.jsonl: the measurements of a run, one line of JSON per step and per validation.
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
  double norm = 0;     // gradient norm before clipping
  int64_t tokens = 0;  // in this step
  double seconds = 0;
};

using NamedNumber = std::pair<std::string, double>;

struct Validation {
  int64_t step = 0;
  double loss = 0;
  std::vector<NamedNumber> more;  // accuracy, perplexity, ..: see Tally::numbers()
};

// The open file. Each line is written immediately, so a killed process loses none.
class MetricsLog {
 public:
  // Truncates the file to its first `bytes` and appends there. A file that is already shorter is left as it
  // is: then complete() is false, and the lines of the missing steps stay missing.
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
// Throws for a line without a step, and names the line. A last line without a line end is skipped: a running
// process is still writing it.
Metrics read_metrics(const std::filesystem::path& path);

}  // namespace locus
