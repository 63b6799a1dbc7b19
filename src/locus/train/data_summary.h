// What the data of a run contain, and what looks wrong about them.
#pragma once

#include <string>
#include <vector>

#include "locus/run/text_task.h"
#include "locus/train/samples.h"

namespace locus {

struct LabelCount {
  std::string name;
  int64_t training = 0, validation = 0;
};

struct DataSummary {
  int64_t training = 0, validation = 0;           // samples
  int64_t tokens = 0;                             // in all training samples
  int64_t shortest = 0, median = 0, longest = 0;  // tokens in a training sample
  std::vector<LabelCount> labels;                 // those in the data, the most frequent first
  int64_t distinct_inputs = 0;                    // of training samples with one label each; else 0
};

// `validation` may be null.
DataSummary summarize(const TextTask& task, const Samples& training, const Samples* validation);

// Likely mistakes, one sentence each: a header row, swapped columns, labels with too few examples.
std::vector<std::string> suspicions(const DataSummary& data, const TextTask& task);

}  // namespace locus
