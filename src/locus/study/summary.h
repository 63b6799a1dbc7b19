// The cells of a study seen together: means and spreads over seeds, costs, and the answer in words.
#pragma once

#include <string>
#include <vector>

#include "locus/study/study.h"

namespace locus::study {

struct Mean {
  double value = 0;   // NaN where a seed has none
  double spread = 0;  // largest less smallest over the seeds
  std::string why;    // where there is none
};

// A scheme, or a scheme stretched, on one task.
struct Line {
  std::string scheme, variant;
  std::vector<Mean> scores;  // of every length
  std::string label() const { return variant.empty() ? scheme : fmt::format("{} + {}", scheme, variant); }
};

struct TaskSummary {
  const Task* task = nullptr;
  std::vector<Line> lines;
};

struct Cost {
  std::string scheme;
  int64_t parameters = 0;
  double step_seconds = 0;
  int64_t step_bytes = 0;
};

struct Summary {
  std::vector<int64_t> lengths;
  int64_t trained = 0, seeds = 0;
  std::vector<TaskSummary> tasks;
  std::vector<Cost> costs;  // of the first task; seconds are the least of all seeds
};

Summary summarise(const Study& study, const std::vector<Cell>& cells);

// Whether a line does at a length what it did at the trained one: it loses no more than 0.05 of accuracy, or
// gains no more than that part of perplexity.
bool holds(const Task& task, const Mean& trained, const Mean& there);

// The answer, a sentence or two for every task, computed from the numbers.
std::vector<std::string> findings(const Summary& summary);
// What their words mean.
std::string rules();

std::string results_json(const Study& study, const Summary& summary);
std::string results_csv(const std::vector<Cell>& cells);

}  // namespace locus::study
