// The cells of a study combined: means and spreads over seeds, costs, and how far each scheme extrapolates.
#pragma once

#include <string>
#include <vector>

#include "locus/study/study.h"

namespace locus::study {

struct Mean {
  double value = 0;   // NaN if any seed has no value
  double spread = 0;  // largest minus smallest value over the seeds
  std::string why;    // why there is no value
};

// A scheme on one task, or a variant of it: the same parameters with options for longer texts.
struct Line {
  std::string scheme, variant;
  std::vector<Mean> scores;               // one per length
  std::vector<PositionLoss> by_position;  // means over the seeds; empty if seeds end at different lengths
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
  // On the first task. Seconds are the minimum over the cells of all seeds, until use_times() replaces them.
  std::vector<Cost> costs;

  size_t trained_column() const;  // index of the trained length in `lengths`
  // Step time relative to the control, which has no position information; NaN without a control.
  double step_ratio(std::string_view scheme) const;
};

inline constexpr std::string_view kControl = "none";

// The limits that the statements of a report use.
inline constexpr double kSolved = 0.95;  // accuracy, minus half the spread over seeds, of a solved task
inline constexpr double kTolerance =
    0.05;  // accuracy that may be lost, share of perplexity that may be added

Summary summarize(const Study& study, const std::vector<Cell>& cells);

// Whether a value is at most kTolerance worse than the reference.
bool close_to(const Task& task, double value, double reference);
bool better(const Task& task, double value, double reference);

// How a line does on a task.
struct Standing {
  bool learned = false;  // solved (accuracy), or more than kTolerance better than the control (perplexity)
  bool best = false;     // close to the best line at the trained length
  size_t reach = 0;      // index of the longest length up to which all values are close to the trained one
};
Standing standing(const Summary& summary, const TaskSummary& task, const Line& line);

// The lines of a task, the best value at the longest length first. Lines without a value there come last.
std::vector<const Line*> ranked(const TaskSummary& task);

std::string results_json(const Study& study, const Summary& summary);
std::string results_csv(const Study& study, const std::vector<Cell>& cells);

}  // namespace locus::study
