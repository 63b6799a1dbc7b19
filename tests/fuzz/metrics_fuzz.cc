// Any bytes as the metrics of a run: throws an Error, or every measurement has a step.
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/train/metrics.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile memory(data, size);
  try {
    const locus::Metrics metrics = locus::read_metrics(memory.path());
    for (const locus::StepMetrics& one : metrics.steps) {
      if (one.step <= 0) std::abort();
    }
    for (const locus::Validation& one : metrics.validations) {
      if (one.step <= 0) std::abort();
    }
  } catch (const locus::Error&) {
  }
  return 0;
}
